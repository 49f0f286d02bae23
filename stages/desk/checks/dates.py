"""Published dates beside the days on which git first saw the matters."""

from stages.desk.checks.check import Check
from stages.desk.first_commits import earlier_than_committed, first_days
from stages.desk.in_use import InUse


def dates_against_commits(study: InUse) -> Check:
    """Published dates that are earlier than the matter's first commit: a disclosure, no failure, because a matter may be older than git."""
    days = first_days()
    check = Check("published dates compared with first commits")
    if isinstance(days, str):
        check.remark = f"not known: {days}"
        return check
    dated = [matter for matter in study.battery.values() if matter.source_path in days]
    earlier = earlier_than_committed(dated, days)
    check.looked_at = len(dated)
    check.remark = f"{len(earlier)} earlier than their commit" + (f": {', '.join(earlier)}" if earlier else "")
    return check
