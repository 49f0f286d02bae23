"""Moot, stage by stage. A file here is a stage of dvc.yaml; a folder is a shelf that stages use.

    matters    reads and validates the battery and every setting
    generate   obtains one answer per contestant and matter
    pair       plans every pair of answers
    conceal    stores which answer is A and which is B, and takes the names away
    judge      obtains one blind verdict per presentation
    record     joins answers, assignments and verdicts into Parquet tables
    measure    counts the tables into metrics
    report     writes the pages

Shelves: schema (what things are), runtime (settings, errors, progress), providers (HTTP), store (journal and recordings),
instrument (the judge's words and the reader), stats (arithmetic), render (pages), desk (the commands people type).
"""
