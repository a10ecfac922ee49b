"""Verdicts for kernels that people, or programs, have written: docs/grade.md.

>>> from ptxvm.grading import grade
>>> print(grade("softmax.py", "reference.py"))
ok
"""

from .grader import Grader, grade
from .options import Options
from .verdict import VERDICTS, Verdict, schema

__all__ = ["grade", "Grader", "Options", "Verdict", "VERDICTS", "schema"]
