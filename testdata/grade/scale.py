"""Three times each element: the task of the candidates in cheats.txt."""


def run(x, n):
    return x * x.dtype.type(3)


def inputs(trial):
    return [trial.values(trial.n), trial.n]


def launch(x, n):
    return {"grid": (n + 127) // 128, "block": 128}
