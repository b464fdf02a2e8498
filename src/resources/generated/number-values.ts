import { whereIs } from './text-values.js'
import { timeAt } from './times.js'
/** The table from the names of properties to believable numbers. */
import type { ValuePlace } from './value-place.js'

type MakeNumber = (at: ValuePlace, isInteger: boolean) => number

const money: MakeNumber = (at, isInteger) =>
  isInteger
    ? at.between(5, 400) * (/\b(?:cents|minor|amount)\b/u.test(at.words) ? 100 : 1)
    : (at.between(500, 40_000) - (at.between(500, 40_000) % 5)) / 100

/** By the last words of a property's name, in lower case. The first row that matches decides. */
const numbersByName: readonly (readonly [words: RegExp, make: MakeNumber])[] = [
  [/\byears?\b/u, (at) => at.between(1995, 2024)],
  [/\b(?:http|response) (?:status|code)\b|\bstatus code$/u, () => 200],
  [/\b(?:status|state|level|type|grade|tier)$/u, (at) => at.between(1, 3)],
  [/\b(?:latitude|lat)$/u, (at) => whereIs(at)[7]],
  [/\b(?:longitude|lng|lon|long)$/u, (at) => whereIs(at)[8]],
  [
    /\b(?:(?:created|updated|modified|deleted|started|ended|closed|published|sent|expires|completed|paid|last seen)(?: (?:at|on|time|date|timestamp|ts))?|timestamp|epoch|date)$|\bat$/u,
    (at) => Math.floor(timeAt(at) / 1000),
  ],
  [/\b(?:\w+ ms|\w+ millis)$/u, (at) => at.between(1, 60) * 100],
  [
    /\b(?:price|amount|cost|total|balance|fee|subtotal|tax|salary|value|budget|revenue|credit|debit|paid|due|spent|charge|discount|net|gross)(?: (?:amount|price|cents|value|excl|incl|net|gross|minor))?$/u,
    money,
  ],
  [/\b(?:rating|stars|score)$/u, (at, isInteger) => (isInteger ? at.between(3, 5) : at.between(30, 50) / 10)],
  [
    /\b(?:percent|percentage|rate|ratio|share|probability|confidence|progress|opacity)$/u,
    (at, isInteger) => (isInteger ? at.between(1, 20) * 5 : at.between(5, 95) / 100),
  ],
  [/\bage$/u, (at) => at.between(19, 78)],
  [/\bmonth$/u, (at) => at.between(1, 12)],
  [/\bday$/u, (at) => at.between(1, 28)],
  [
    /\b(?:position|order|index|rank|sort|sequence|seq|priority|number|no|ordinal|line)$/u,
    (at) => at.record.position + 1,
  ],
  [/\bversion$/u, (at) => at.between(1, 4)],
  [/\bport$/u, (at) => at.spread([8080, 8443, 5432, 6379])],
  [/\b(?:width|height|length|depth)$/u, (at) => at.between(4, 64) * 10],
  [
    /\b(?:weight|distance|area|volume|capacity|mass)$/u,
    (at, isInteger) => (isInteger ? at.between(1, 90) : at.between(10, 900) / 10),
  ],
  [/\b(?:size|bytes|file size)$/u, (at) => at.between(2, 900) * 128],
  [/\b(?:duration|seconds|runtime|timeout|ttl|interval|expires in)$/u, (at) => at.between(1, 24) * 30],
  [/\b(?:temperature|temp)$/u, (at) => at.between(4, 28)],
  [
    /\b(?:count|quantity|qty|stock|likes?|views?|comments?|followers|members|items|pages|seats|rooms|num|inventory|available|views|downloads|votes|points|attempts)$|^(?:num|number of|count)\b/u,
    (at) => at.between(1, 40),
  ],
  [/\b(?:uid|id|gid|sid)$/u, (at) => at.number],
]

/** Returns a believable number for a property. The caller keeps it within the bounds of the schema. */
export const numberAt = (at: ValuePlace, isInteger: boolean): number =>
  (numbersByName.find(([pattern]) => pattern.test(at.words))?.[1] ?? ((each) => each.between(1, 50)))(at, isInteger)
