import test from 'ava'

import { refusesFixtures } from './helpers/declare-invalid-fixture-tests.js'

const long = 't'.repeat(513)

refusesFixtures(test, [
  { title: 'a list in place of the object', by: '▸[]', pointers: ['#'], what: /is not a fixture/u },
  { title: 'a word in place of the object', by: '▸"fern"', pointers: ['#'], what: /is not a fixture/u },
  { title: 'no keys', by: '▸{}', pointers: ['#/$callers'], what: /is missing/u },
  {
    title: 'an unknown key',
    part: '"$callers":',
    by: '▸"caller": {},\n  "$callers":',
    pointers: ['#/caller'],
    what: /there is no collection "caller"/u,
  },
  {
    title: 'a key named __proto__',
    part: '"$callers":',
    by: '▸"__proto__": {},\n  "$callers":',
    pointers: ['#/__proto__'],
    what: /there is no collection "__proto__"/u,
  },
  {
    title: 'a description that is a number',
    part: '"$callers":',
    by: '"$description": ▸5,\n  "$callers":',
    pointers: ['#/$description'],
    what: /description must be a string/u,
  },

  {
    title: 'callers that are a list',
    part: '{\n    "ada": { "token": "ada-token" },\n    "grace": { "token": "grace-token" }\n  }',
    by: '▸[]',
    pointers: ['#/$callers', '#/insights/0/$access/0'],
    at: '"ada"]',
    what: /callers must be an object|"ada" is not a caller/u,
  },
  {
    title: 'a caller that is a word',
    part: '"grace": { "token": "grace-token" }',
    by: '"grace": ▸"grace-token"',
    pointers: ['#/$callers/grace'],
    what: /a caller must be an object/u,
  },
  {
    title: 'a caller without a token',
    part: '{ "token": "grace-token" }',
    by: '▸{}',
    pointers: ['#/$callers/grace/token'],
    what: /token must be a string/u,
  },
  {
    title: 'an unknown key of a caller',
    part: '"token": "grace-token"',
    by: '"token": "grace-token", ▸"role": "x"',
    pointers: ['#/$callers/grace/role'],
    what: /"role" is not known/u,
  },
  {
    title: 'a caller name with a space',
    part: '"grace":',
    by: '▸"grace hopper":',
    pointers: ['#/$callers/grace hopper'],
    what: /"grace hopper" must match/u,
  },
  { title: 'a caller without a name', part: '"grace":', by: '▸"":', pointers: ['#/$callers/'], what: /"" must match/u },
  {
    title: 'a caller name of 65 characters',
    part: '"grace":',
    by: `▸"${'g'.repeat(65)}":`,
    pointers: [`#/$callers/${'g'.repeat(65)}`],
    what: /must match/u,
  },
  {
    title: 'a token that is a number',
    part: '"grace-token"',
    by: '▸5',
    pointers: ['#/$callers/grace/token'],
    what: /token must be a string/u,
  },
  {
    title: 'an empty token',
    part: '"grace-token"',
    by: '▸""',
    pointers: ['#/$callers/grace/token'],
    what: /token must match/u,
  },
  {
    title: 'a token with a space',
    part: '"grace-token"',
    by: '▸"grace token"',
    pointers: ['#/$callers/grace/token'],
    what: /token must match/u,
  },
  {
    title: 'a token that no header can contain',
    part: '"grace-token"',
    by: '▸"gräce"',
    pointers: ['#/$callers/grace/token'],
    what: /token must match/u,
  },
  {
    title: 'a token with = in the middle',
    part: '"grace-token"',
    by: '▸"a=b"',
    pointers: ['#/$callers/grace/token'],
    what: /token must match/u,
  },
  {
    title: 'a token of 513 characters',
    part: '"grace-token"',
    by: `▸"${long}"`,
    pointers: ['#/$callers/grace/token'],
    what: /513 characters/u,
  },
  {
    title: 'a token that two callers have',
    part: '"grace-token"',
    by: '▸"ada-token"',
    pointers: ['#/$callers/grace/token'],
    what: /already the token of caller "ada"/u,
  },
])
