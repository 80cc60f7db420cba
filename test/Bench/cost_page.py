"""Lays out predicted and measured cases as tables."""

import statistics

from page import machine, table


def case_rows(cases: list) -> list[list[str]]:
    return [[case.group, case.plan, f"{case.predicted:.2f}", f"{case.measured:.2f}", f"{100 * case.error():+.0f} %",
             f"{100 * (max(case.rounds) / min(case.rounds) - 1):.0f} %", f"{case.peak_bytes / 1e6:.2f}",
             "yes" if case.peak_bytes == case.arena_bytes else f"no: {case.arena_bytes / 1e6:.2f}"]
            for case in cases if not case.same_as]


def choice_rows(cases: list) -> list[list[str]]:
    """The chosen plan of each group against the best that was measured."""
    rows = []
    for chosen in (case for case in cases if case.plan == "chosen"):
        best = min((case for case in cases if case.group == chosen.group), key=lambda case: case.measured)
        name = f"chosen (= {chosen.same_as})" if chosen.same_as else "chosen"
        rows.append([chosen.group, name, f"{chosen.measured:.2f}", best.plan, f"{best.measured:.2f}",
                     f"{100 * (chosen.measured / best.measured - 1):+.0f} %"])
    return rows


def summary(cases: list) -> str:
    different = [case for case in cases if not case.same_as]
    errors = [abs(case.error()) for case in different]
    choices = choice_rows(cases)
    near = sum(float(row[-1].split()[0]) <= 10 for row in choices)
    exact = sum(case.peak_bytes == case.arena_bytes for case in different)
    return (f"{len(errors)} cases: mean absolute error {100 * statistics.mean(errors):.1f} %, median {100 * statistics.median(errors):.1f} %, "
            f"largest {100 * max(errors):.0f} %; mean error {100 * statistics.mean(case.error() for case in different):+.1f} %.\n"
            f"The chosen plan is within 10 % of the best one measured in {near} of {len(choices)} groups.\n"
            f"Predicted memory is the arena's in {exact} of {len(errors)} cases.")


def render(cases: list) -> str:
    return "\n\n".join([f"{machine()}.", summary(cases),
                        table(["", "plan", "predicted ms", "measured ms", "error", "spread of rounds", "predicted MB", "is the arena's"], case_rows(cases)),
                        table(["", "chosen", "ms", "best measured", "ms", "chosen is slower by"], choice_rows(cases))])
