/** The table from the names and formats of properties to believable values. Hosts, addresses and numbers are those reserved for examples. */
import english from '@faker-js/faker/locale/en'

import { onceFor } from '../../once.js'
import { inWords, kebabCase } from '../names.js'
import { toRfc2822 } from '../roles/fresh-values.js'
import { ValuePlace } from './value-place.js'

type Candidate = string | number
/** Makes values: the first that the schema allows is taken. */
type Make = (at: ValuePlace) => Candidate | readonly Candidate[]

/** An instance of its own: mocked responses draw from the shared one. */
const faker = new english.constructor({ locale: 'en', locales: english.locales })

/** Makes a text with faker, which then draws from the place. @param use - Makers that give the same get the same numbers. */
function say(at: ValuePlace, make: (english: typeof faker) => string, use = ''): string {
  let part = 0
  faker.mersenne.rand = (most = 2 ** 15, least = 0) => least + at.draw(most - least, `${use} ${(part += 1)}`)
  return make(faker)
}

const adjectives = 'quiet northern bright early golden hidden long open silver small warm young coastal'.split(' ')
const nouns = 'harbour garden journey letter summer river station window morning island bridge'.split(' ')
const labels = 'spring premium local classic outdoor family weekly starter travel studio compact'.split(' ')
const sentences = (
  'Arrived on time and in good condition. The second part follows next week. Please check this before the end of the month. ' +
  'It works well in small rooms, too. Most people choose this one for everyday use. Several customers have asked for it. ' +
  'A summary of the last meeting follows. Made by hand in a small workshop near the coast. Thanks for the quick help.'
).split(/(?<=\.) /u)
/** Values that belong together, so that the properties of one object agree. */
const places = [
  ['London', 'United Kingdom', 'GB', 'GBR', 'GBP', 'Europe/London', 'en', 51.507, -0.128],
  ['Berlin', 'Germany', 'DE', 'DEU', 'EUR', 'Europe/Berlin', 'de', 52.52, 13.405],
  ['Chicago', 'United States', 'US', 'USA', 'USD', 'America/Chicago', 'en', 41.878, -87.63],
  ['Lisbon', 'Portugal', 'PT', 'PRT', 'EUR', 'Europe/Lisbon', 'pt', 38.722, -9.139],
  ['Toronto', 'Canada', 'CA', 'CAN', 'CAD', 'America/Toronto', 'en', 43.653, -79.383],
  ['Kyoto', 'Japan', 'JP', 'JPN', 'JPY', 'Asia/Tokyo', 'ja', 35.012, 135.768],
  ['Zurich', 'Switzerland', 'CH', 'CHE', 'CHF', 'Europe/Zurich', 'de', 47.377, 8.541],
] as const
const hosts = ['example.com', 'example.org', 'example.net']

const around = (at: ValuePlace): ValuePlace => at.around ?? at
const whereIs = (at: ValuePlace): (typeof places)[number] => around(at).pick(places, 'where')
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '')
/** The person of a property: `customer` of `customer first name`, so that the properties of one person agree. */
const personIn = ({ words }: ValuePlace): string =>
  words.replace(/ ?\b(?:(?:first|last|family|given|full|display|sur|user) ?)?(?:name|e ?mail|login|handle).*$/u, '')
const given = (at: ValuePlace): string => say(around(at), (f) => f.name.firstName(), `given ${personIn(at)}`)
const family = (at: ValuePlace): string => say(around(at), (f) => f.name.lastName(), `family ${personIn(at)}`)
const person = (at: ValuePlace): string => `${given(at)} ${family(at)}`
const logins = (at: ValuePlace): readonly string[] => ['.', ''].map((dot) => plain(given(at)) + dot + plain(family(at)))
const pathOf = (at: ValuePlace): string => `${kebabCase(at.noun)}/${at.number}`
const url = (at: ValuePlace): string =>
  /\b(?:image|avatar|photo|picture|thumbnail|logo|icon|cover|poster|banner)s?\b/u.test(at.words)
    ? `https://example.com/images/${kebabCase(at.noun)}-${at.number}.jpg`
    : `https://${at.pick(hosts)}/${pathOf(at)}`
/** Each exchange has a hundred numbers for fiction, 555-0100 to 555-0199. */
const phones = (at: ValuePlace): readonly string[] => {
  const [area, line] = [at.pick(['202', '212', '303', '312', '415', '503', '617']), String(at.between(100, 199))]
  const forms = ['+1-A-555-0N', '+1A5550N', 'A-555-0N', '(A) 555-0N', '1A5550N', 'A5550N']
  return forms.map((form) => form.replace('A', area).replace('N', line))
}
const hex = (at: ValuePlace, length: number): string =>
  Array.from({ length }, (_, part) => at.draw(16, `hex ${part}`).toString(16)).join('')
const uuid = (at: ValuePlace): string => hex(at, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/u, '$1-$2-4$3-a$4-$5')
const moment = (at: ValuePlace): Candidate[] => [dateTimeAt(at), dateAt(at), Math.floor(timeAt(at) / 1000)]
const money = (at: ValuePlace): Candidate[] => {
  const amount = at.between(100, 8000) / 20
  return [amount, amount.toFixed(2)]
}
/** The media type and the name of a file agree. */
const files = [
  ['image/jpeg', 'jpg'],
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['image/png', 'png'],
] as const
const fileAt = (at: ValuePlace): (typeof files)[number] => around(at).pick(files, 'file')
const company: Make = (at) => say(around(at), (f) => f.company.companyName(0), 'company')
const work: Make = (at) => `The ${at.pick(adjectives)} ${at.pick(nouns, 'noun')}`
const code = (at: ValuePlace): Candidate[] => {
  const number = at.between(1000, 9999)
  return [at.pick(['AX', 'BK', 'CR', 'DM', 'EL', 'FN'], 'code') + number, number, hex(at, 8)]
}
const stateOfCountry = (at: ValuePlace): Candidate[] => [
  say(at, (f) => f.address.state()),
  say(at, (f) => f.address.stateAbbr()),
]
const statusOf = (at: ValuePlace): Candidate[] => [
  at.pick(['active', 'pending', 'active', 'completed']),
  at.between(1, 3),
]
const isInAddress = ({ siblings, noun }: ValuePlace): boolean =>
  [noun, ...siblings].some((name) => /\b(?:address|street|city|zip|post(?:al)?|country)\b/u.test(inWords(name)))
const text: Make = (at) => longText(at, 15 * at.draw(3, 'length'))

/**
 * By the last words of a name, in lower case, singular or plural, with or without `name` after it: the first row that matches decides.
 * A format is looked up with `format` before it, and what has a name or a title by what it is.
 */
const rows: Readonly<Record<string, Make>> = {
  '^format rfc 2822': (at) => toRfc2822(new Date(timeAt(at))),
  '^format time': (at) => `${timeOfDayAt(at)}Z`,
  '^format byte': (at) => Buffer.from(at.pick(sentences)).toString('base64'),
  '(?:first|given|fore|middle)(?= ?name)|pet|dog|cat|animal|horse': given,
  '(?:last|family|sur)(?= ?name)': family,
  'login|nick|handle|(?:user|screen)(?= ?name)': logins,
  'company|organi[sz]ation|vendor|supplier|publisher|brand|merchant|employer|business|shop|store|seller|bank|carrier':
    company,
  '(?:^|order |cart |menu |line )item|product|variant|goods|article': (at) => say(at, (f) => f.commerce.productName()),
  '(?:e ?)?mail(?: ?address(?:e)?)?|b?cc|reply to|(?:from|to) address': (at) =>
    `${logins(at)[0] ?? ''}@${at.pick(hosts)}`,
  '(?:phone|mobile|fax|tel|telephone|cell|msisdn|whatsapp)(?: number| no)?': phones,
  'ip ?v?6(?: address)?': (at) => `2001:db8::${at.between(1, 65_535).toString(16)}`,
  'ip(?: ?v4)?(?: ?address(?:e)?)?': (at) => `${at.pick(['192.0.2', '198.51.100', '203.0.113'])}.${at.between(1, 254)}`,
  '(?:street|address)(?: line| address)?(?: ?1)?': (at) =>
    `${at.between(1, 180)} ${say(at, (f) => f.name.lastName())} Street`,
  'city|town|locality|location|place|destination|venue|branch|office|warehouse': (at) => whereIs(at)[0],
  '(?:(?:billing|shipping|home|work|address|us) )state|province|region|county': stateOfCountry,
  'post(?:al)? ?code|zip(?: ?code)?': (at) => at.between(10_000, 99_999),
  'country code': (at) => [whereIs(at)[2], whereIs(at)[3], whereIs(at)[2].toLowerCase()],
  'countr(?:y|ie)|nationality|nation': (at) => whereIs(at).slice(1, 4),
  'currenc(?:y|ie)(?: code| id)?': (at) => [whereIs(at)[4], whereIs(at)[4].toLowerCase()],
  'time ?zone|tz': (at) => whereIs(at)[5],
  locale: (at) => [`${whereIs(at)[6]}-${whereIs(at)[2]}`, `${whereIs(at)[6]}_${whereIs(at)[2]}`],
  'lang(?:uage)?(?: code)?': (at) => whereIs(at)[6],
  'lat(?:itude)?': (at) => whereIs(at)[7],
  'longitude|lng|lon|long': (at) => whereIs(at)[8],
  'hex(?: \\w+)?': (at) => [`#${hex(at, 6)}`, hex(at, 6)],
  'colou?r': (at) => [say(at, (f) => f.commerce.color()), `#${hex(at, 6)}`, hex(at, 6)],
  '(?:image|avatar|photo|picture|thumbnail|logo|icon|cover|poster|banner)s?(?: src| path| image)?': url,
  'ur[il]|iri|link|website|homepage|href|webhook|endpoint|callback|self|site': url,
  'domain|host|hostname|fqdn|server': (at) => `${at.pick(nouns)}.example.com`,
  'uuid|guid': uuid,
  'sha ?\\d*|hash|checksum|digest|etag|signature|md5|commit': (at) => [40, 64, 32].map((length) => hex(at, length)),
  'token|secret|(?:api|access|client|private|public) key': (at) => `test-${hex(at, 20)}`,
  password: (at) => `test-password-${at.number}`,
  '(?:mime|media|content) ?type|mime': (at) => fileAt(at)[0],
  'file|attachment': (at) => `${at.pick(nouns)}-${at.number}.${fileAt(at)[1]}`,
  'icon(?= ?name)': (at) => at.pick(['star', 'book', 'home', 'heart', 'bell']),
  'user agent': () => 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'cron(?: expression| schedule)?': (at) => `${at.between(0, 59)} ${at.between(0, 23, 'hour')} * * *`,
  'path|directory|folder|uri reference': (at) => `/${pathOf(at)}`,
  version: (at) => [`${at.between(1, 3)}.${at.between(0, 9, 'minor')}.${at.between(0, 9, 'patch')}`, at.between(1, 4)],
  gender: (at) => at.pick(['female', 'male']),
  'job(?: title| role)?|occupation|profession': (at) => say(at, (f) => f.name.jobTitle()),
  'isbn(?: ?1[03])?': (at) => `97800000${at.between(10_000, 99_999)}`,
  genre: (at) => say(at, (f) => f.music.genre()),
  'categor(?:y|ie)|department|section': (at) => say(at, (f) => f.commerce.department()),
  'tag|label|keyword|topic|skill|interest|ingredient|feature|scope|permission|group': (at) => at.pick(labels),
  '(?:http|response) (?:status|code)|status code': () => 200,
  state: (at) => (isInAddress(at) ? stateOfCountry : statusOf)(at),
  status: statusOf,
  role: (at) => at.pick(['member', 'editor', 'admin', 'viewer']),
  'priority|severity|level|difficulty|grade|tier': (at) => [at.pick(['low', 'medium', 'high']), at.between(1, 3)],
  'size(?: bytes)?|bytes': (at) => [at.pick(['S', 'M', 'L', 'XL']), at.between(2, 900) * 128],
  model: (at) => say(at, (f) => f.vehicle.model()),
  'cents|minor': (at) => at.between(5, 400) * 100,
  '(?:price|amount|cost|total|balance|fee|tax|salary|budget|revenue|credit|debit|paid|discount|net|rent|wage|deposit|payment)(?: amount)?':
    money,
  'rating|stars|score': (at) => at.between(30, 50) / 10,
  'percent|percentage|progress': (at) => at.between(1, 20) * 5,
  'rate|ratio|share|probability|confidence|opacity': (at) => at.between(5, 95) / 100,
  age: (at) => at.between(19, 78),
  'year(?: .*)?': (at) => Number(dateAt(at).slice(0, 4)) - at.draw(20, 'year'),
  month: (at) => [dateAt(at).slice(0, 7), at.between(1, 12)],
  'birth\\w*|born|dob|date of birth|day': (at) => [dateAt(at), at.between(1, 28)],
  'user (?:created|updated|modified)': person,
  '(?:created?|updated?|modified|modify|deleted?|started|ended|closed|published|sent|expires|completed|seen)(?: on| time| date)?':
    moment,
  'at|timestamp|epoch|date ?time|unix time': moment,
  'date(?: (?:for|of|when) \\w+)?|\\w+(?:ed|t) on|since|deadline': (at) => [dateAt(at), ...moment(at)],
  'time|hour': (at) => [timeOfDayAt(at).slice(0, 5), at.between(8, 18)],
  '^format duration': (at) => `PT${at.between(1, 12) * 15}M`,
  'duration|seconds|timeout|ttl|interval|ms': (at) => at.between(1, 24) * 30,
  'position|order|index|rank|sort|sequence|seq|ordinal|line': (at) => at.number,
  'width|height|length|depth': (at) => at.between(4, 64) * 10,
  'weight|distance|area|volume|capacity|mass': (at) => at.between(10, 900) / 10,
  'count|quantity|qty|stock|like|view|follower|page|seat|num|vote|point|(?:num|number of) .*': (at) =>
    at.between(1, 40),
  'task|issue|ticket|todo|case|bug|reminder|goal|subject': (at) => capital(say(at, (f) => f.git.commitMessage())),
  'book|movie|film|song|album|track|post|course|video|event|story|show|episode|chapter|talk|recipe|document|game': work,
  '(?:order|sort|group) by': () => 'name',
  'title|headline|name|caption': nameOf,
  slug: (at) => kebabCase(nameOf(at)),
  'description|content|body|text|summary|comment|message|note|bio|about|detail|review|excerpt|abstract|remark|answer':
    text,
  'question|overview|feedback|reason|instruction|html|markdown|subtitle': text,
  'user|full|billing|shipping|customer|author|passenger|contact|employee|member|person|people|owner|doctor|patient':
    person,
  'student|teacher|driver|guest|client|actor|director|artist|creator|recipient|sender|participant|attendee|lead':
    person,
  'agent|assignee|reviewer|player|friend|manager|profile|applicant|subscriber|signer|buyer|holder|by': person,
  'code|reference|ref|number|no|sku|barcode|serial|coupon|symbol': code,
  'uid|id|key|gid|sid': (at) => [`${kebabCase(at.words.replace(/ ?\w+$/u, '') || at.noun)}-${at.number}`, at.number],
}
const compiled = Object.entries(rows).map(
  ([words, make]) => [new RegExp(`(?:\\b|^)(?:${words})s?(?: ?names?)?$`, 'u'), make] as const,
)
const makeFor = onceFor((words: string) => compiled.find(([pattern]) => pattern.test(words))?.[1])

/** Names the thing that has a `name` or a `title`. Next to a last name, it is the first name. */
function nameOf(place: ValuePlace): string {
  const hasPart = (part: RegExp): boolean => [...place.siblings].some((name) => part.test(inWords(name)))
  const isFirst = hasPart(/^(?:last|family|sur) ?name$/u) && !hasPart(/^(?:first|given) ?name$/u)
  if (place.words === 'name' && isFirst) return given(place)
  // The name, the title and the slug of a thing agree.
  const at = /^(?:caption|headline|slug|title)$/u.test(place.words) ? around(place).at('name') : place
  const what = /^(?!display|short|long|internal|public)(.+) (?:name|title)$/u.exec(at.words)?.[1] ?? at.noun
  const make = /\b(?:name|title|headline|caption|slug)s?$/u.test(what) ? undefined : makeFor(what)
  const found =
    make && [make(at)].flat().find((each) => typeof each === 'string' && !/:\/\/|^PT|^test-|^[\d/]/u.test(each))
  return String(found ?? capital(`${at.pick(adjectives)} ${what}`))
}

/** Lists believable values for a property, by its format, else by its name. Empty: they say nothing. */
export function valuesByName(at: ValuePlace, format?: unknown): readonly Candidate[] {
  const byFormat = typeof format === 'string' ? makeFor(`format ${inWords(format)}`) : undefined
  const make = byFormat ?? makeFor(at.words)
  return make ? [make(at)].flat() : []
}

/** Returns a text for a property whose name says nothing. */
export const otherText = (at: ValuePlace): string => capital(`${at.pick(adjectives)} ${at.words || at.noun}`)

export const longText = (at: ValuePlace, least: number): string =>
  Array.from({ length: 1 + least / 15 }, (_, part) => at.pick(sentences, `sentence ${part}`)).join(' ')

// The times of a record lie before now and agree: created, started, changed, ended, expired.
const day = 86_400_000

/** The words that put a time in the life of a record: the first row that matches decides. */
const phases: readonly (readonly [words: RegExp, phase: number])[] = [
  [/\b(?:expir|due|deadline|renew|next|valid (?:until|to|thru))/u, 4],
  [
    /\b(?:delet|remov|clos|cancel|end|until|to\b|finish|complet|resolv|archiv|stop|check ?out|depart|return|dispos)/u,
    3,
  ],
  [/\b(?:updat|modif|chang|edit|last|latest|sync|refresh|seen|deliver)/u, 2],
  [/\b(?:creat|added|insert|enqueue|queue|submit|regist|joined|ordered|issue|signup|member since)/u, 0],
]
const phaseOf = ({ words }: ValuePlace): number => phases.find(([pattern]) => pattern.test(words))?.[1] ?? 1

const floor = (time: number, unit: number): number => Math.floor(time / unit) * unit

/** Returns a time, milliseconds since 1970, a whole second. */
function timeAt(place: ValuePlace): number {
  const { now } = place.record
  const years = /\b(?:animal|pet|dog|cat|horse|bird)$/u.test(place.noun) ? 2 : 19
  if (/\b(?:birth|born|dob)/u.test(place.words))
    return floor(now - place.between(years * 365, 4 * years * 365) * day, day)
  // All times of a record have its age. A phase is then long enough for a date to have another day than the next.
  const age = new ValuePlace(place.record).between(70, 670) * day
  return floor(now - age + (age / 6) * (phaseOf(place) + place.draw(90) / 100), 1000)
}

/** Returns a time of day: an earlier one for a start than for an end. */
const timeOfDayAt = (place: ValuePlace): string =>
  new Date(floor((8 + 2 * phaseOf(place) + place.draw(7) / 4) * 3_600_000, 900_000)).toISOString().slice(11, 19)

const dateTimeAt = (place: ValuePlace): string => new Date(timeAt(place)).toISOString().replace('.000Z', 'Z')

const dateAt = (place: ValuePlace): string => dateTimeAt(place).slice(0, 10)
