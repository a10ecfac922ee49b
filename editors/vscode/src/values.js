'use strict';
// While a launch stands, the values of registers: under the pointer, and behind the lines that lead to the place.

const vscode = require('vscode');
const { registers } = require('./words.js');

/** Lines before the place that values are shown in. */
const shown = 20;

/** @implements {vscode.EvaluatableExpressionProvider} */
class Pointed {
  /** @param {vscode.TextDocument} document @param {vscode.Position} position */
  provideEvaluatableExpression(document, position) {
    const { text } = document.lineAt(position.line);
    const at = registers(text).find((r) => r.start <= position.character && position.character <= r.start + r.name.length);
    return at && new vscode.EvaluatableExpression(place(position.line, at), at.name);
  }
}

/** @implements {vscode.InlineValuesProvider} */
class Behind {
  /** @param {vscode.TextDocument} document @param {vscode.Range} visible @param {vscode.InlineValueContext} context */
  provideInlineValues(document, visible, context) {
    const last = context.stoppedLocation.end.line;
    const values = [];
    for (let line = Math.max(visible.start.line, last - shown); line <= Math.min(last, visible.end.line); line++) {
      const seen = new Set();
      for (const r of registers(document.lineAt(line).text)) {
        if (!seen.has(r.name)) values.push(new vscode.InlineValueEvaluatableExpression(place(line, r), r.name));
        seen.add(r.name);
      }
    }
    return values;
  }
}

/** @param {number} line @param {{ name: string, start: number }} register */
function place(line, register) {
  return new vscode.Range(line, register.start, line, register.start + register.name.length);
}

module.exports = { Behind, Pointed };
