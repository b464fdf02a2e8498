/** Fixtures of many records, about 500 bytes each. */

/** Writes a fixture. The caller ada has access to every record. */
export function largeFixture(records: number): string {
  const lines = Array.from({ length: records }, (_, index) =>
    JSON.stringify({
      id: `record-${index + 1}`,
      content: `Record ${index + 1}. `.padEnd(300, 'One in four reviews of this plant mentions "yellow leaves". '),
      tag: 'care',
      title: 'Monsteras are watered too often',
      source: 'Customer reviews, week 2',
      createdAt: '2026-01-12T09:30:00Z',
    }),
  )
  return `{"$callers":{"ada":{"token":"ada-token"}},"insights":[\n${lines.join(',\n')}\n]}\n`
}
