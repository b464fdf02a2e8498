import test from 'ava'

import { generateMatchingText } from '#src/contract/matching-text.js'

const patterns = [
  String.raw`rdme_\w+`,
  String.raw`[a-f\d]{24}`,
  String.raw`\/projects\/(me|[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*)`,
  '^(?:#[0-9a-fA-F]{3}|#[0-9a-fA-F]{4})$',
  String.raw`stable|([0-9]+)(?:\.([0-9]+))?(-.*)?`,
  String.raw`^\S+@\S+\.[a-z]{2,}$`,
  String.raw`^(?=x)(?<name>x{3,5}?)\b$`,
  String.raw`^[^a-z\]]\x41\u0042\p{Lu}.$`,
  String.raw`^(a|b)(c|)+d*$`,
]

test('a generated text matches its pattern', (t) => {
  for (const pattern of patterns) t.regex(generateMatchingText(pattern) ?? '', new RegExp(pattern, 'u'), pattern)
})

test('an invalid pattern gets no text', (t) => {
  t.is(generateMatchingText('('), undefined)
})
