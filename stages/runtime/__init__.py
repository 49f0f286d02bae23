"""What every stage runs in: composed settings, the error family, progress, entry points. Imports none of ours."""
