/** Describes what a reload of a fixture has undone. */

/** Describes it as a sentence after a space. Empty: nothing was undone. @param undone - Number of records that had changed. */
export const describeUndone = (undone: number): string =>
  undone === 0 ? '' : ` The state was reset to it, which undid ${undone} ${undone === 1 ? 'change' : 'changes'}.`
