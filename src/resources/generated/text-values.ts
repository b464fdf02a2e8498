/** The table from the names and formats of properties to believable texts. Hosts, addresses and numbers are those reserved for examples. */
import faker from '@faker-js/faker/locale/en'

import { kebabCase } from '../names.js'
import { dateAt, dateTimeAt, timeAt, timeOfDayAt } from './times.js'
import type { ValuePlace } from './value-place.js'
import { adjectives, colours, hosts, nouns, places, sentences, tasks, words } from './word-lists.js'

const { address, commerce, company, music, name, vehicle } = faker.definitions

/** Returns the place that the properties of an object share. */
export const whereIs = (at: ValuePlace): (typeof places)[number] => at.spread(places, 'where')

const people =
  /\b(?:user|customer|author|passenger|traveller|contact|employee|member|person|people|owner|doctor|patient|student|teacher|driver|guest|client|actor|director|artist|creator|recipient|sender|participant|attendee|candidate|lead|agent|assignee|reviewer|player|friend|sibling|manager|vet|profile|applicant|subscriber|signer|buyer|cardholder|account holder|by)$/u
const companies =
  /\b(?:company|organi[sz]ation|vendor|supplier|publisher|brand|merchant|manufacturer|employer|business|shop|store|seller|bank|partner|carrier|producer|studio|label)$/u
const products =
  /\b(?:product|^item|(?:order|cart|menu|catalog|invoice) item|article|sku|variant|goods|merchandise|line item)$/u
const works =
  /\b(?:book|movie|film|song|album|track|post|page|course|video|event|story|show|episode|chapter|blog|news|talk|session|recipe|document|note|poem|game|playlist|article)$/u

const title = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '')

const givenNames = name.female_first_name.flatMap((each, at) => [each, name.male_first_name[at] ?? each])
const givenName = (at: ValuePlace): string => at.spread(givenNames, 'given name')
const familyName = (at: ValuePlace): string => at.spread(name.last_name, 'family name')
const fullName = (at: ValuePlace): string => `${givenName(at)} ${familyName(at)}`
const userName = (at: ValuePlace): string => `${plain(givenName(at))}.${plain(familyName(at))}`
const companyName = (at: ValuePlace): string =>
  `${at.spread(name.last_name, 'company')} ${at.spread(company.suffix, 'suffix')}`
const productName = (at: ValuePlace): string => {
  const { adjective, material, product } = commerce.product_name
  return [adjective, material, product].map((list, part) => at.spread(list, `product ${part}`)).join(' ')
}
const workTitle = (at: ValuePlace): string => `The ${at.spread(adjectives, 'adjective')} ${at.spread(nouns, 'noun')}`
const thing = (at: ValuePlace): string => title(`${at.spread(adjectives, 'adjective')} ${at.noun}`)

/** Names the thing that has a `name` or a `title`. */
function nameOf(at: ValuePlace): string {
  if (people.test(at.noun)) return fullName(at)
  if (companies.test(at.noun)) return companyName(at)
  if (products.test(at.noun)) return productName(at)
  if (works.test(at.noun)) return workTitle(at)
  if (/\b(?:country|nation)$/u.test(at.noun)) return whereIs(at)[1]
  if (/\b(?:city|town|location|place|branch|office|site|warehouse)$/u.test(at.noun)) return whereIs(at)[0]
  if (/\b(?:category|department|genre)$/u.test(at.noun)) return at.spread(commerce.department)
  if (/\b(?:domain|host|hostname|subdomain|website)$/u.test(at.noun)) return `${at.spread(nouns)}.example.com`
  if (/\b(?:tag|label|keyword|topic)$/u.test(at.noun)) return at.spread(words)
  if (/\b(?:task|issue|ticket|todo|case|bug|reminder|goal)$/u.test(at.noun)) return at.spread(tasks)
  return thing(at)
}

const text = (at: ValuePlace): string => {
  const chosen = sentences.map((first, index) => [
    first,
    ...[4, 8].map((next) => sentences[(index + next) % sentences.length]),
  ])
  return at
    .spread(chosen)
    .slice(0, 1 + at.below(3, 'length'))
    .join(' ')
}
const mailbox = (at: ValuePlace): string => `${userName(at)}@${at.spread(hosts, 'host')}`
const slug = (at: ValuePlace): string => kebabCase(nameOf(at))
const pathOf = (at: ValuePlace): string => `${kebabCase(at.noun)}/${at.record.position + 1}`
const url = (at: ValuePlace): string => `https://${at.spread(hosts)}/${pathOf(at)}`
const image = (at: ValuePlace): string =>
  `https://example.com/images/${kebabCase(at.noun)}-${at.record.position + 1}.jpg`
/** Each exchange has a hundred numbers for fiction, 555-0100 to 555-0199. */
const phones = (at: ValuePlace): readonly string[] => {
  const area = at.spread(['202', '212', '303', '312', '415', '503', '617', '702'])
  const line = `01${String(at.below(100)).padStart(2, '0')}`
  return [
    `+1-${area}-555-${line}`,
    `+1${area}555${line}`,
    `${area}-555-${line}`,
    `(${area}) 555-${line}`,
    `1${area}555${line}`,
    `${area}555${line}`,
  ]
}
const ipv4 = (at: ValuePlace): string => `${at.spread(['192.0.2', '198.51.100', '203.0.113'])}.${at.between(1, 254)}`
const hex = (at: ValuePlace, length: number): string =>
  Array.from({ length }, (_, part) => at.below(16, `hex ${part}`).toString(16)).join('')
function uuid(at: ValuePlace): string {
  const digits = hex(at, 31)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-a${digits.slice(15, 18)}-${digits.slice(18, 30)}`
}
const code = (at: ValuePlace): string =>
  `${at.spread(['AX', 'BK', 'CR', 'DM', 'EL', 'FN', 'GT', 'HV'])}${String(at.between(1000, 9999))}`
const epoch = (at: ValuePlace): string => String(Math.floor(timeAt(at) / 1000))

/** A maker of texts: one, or several of which the first that the schema allows is taken. */
export type MakeText = (at: ValuePlace) => string | readonly string[]

/** By format. */
export const textsByFormat: Readonly<Record<string, MakeText>> = {
  'date-time': dateTimeAt,
  date: dateAt,
  time: (at) => `${timeOfDayAt(at)}Z`,
  duration: (at) => `PT${at.between(1, 12) * 15}M`,
  email: mailbox,
  'idn-email': mailbox,
  hostname: (at) => `${kebabCase(at.spread(nouns))}.example.com`,
  ipv4,
  ip: ipv4,
  ipv6: (at) => `2001:db8::${hex(at, 4).replace(/^0+(?=.)/u, '')}`,
  uri: (at) => (isImage(at) ? image(at) : url(at)),
  url: (at) => (isImage(at) ? image(at) : url(at)),
  iri: url,
  'uri-reference': (at) => `/${pathOf(at)}`,
  uuid,
  phone: phones,
  'phone-number': phones,
  color: (at) => at.spread(colours)[1],
  byte: (at) => Buffer.from(at.spread(sentences)).toString('base64'),
  'unix-time': epoch,
  timestamp: dateTimeAt,
  // A password in a state that people read is a test value.
  password: (at) => `test-password-${at.record.position + 1}`,
}

const isImage = (at: ValuePlace): boolean =>
  /\b(?:image|avatar|photo|picture|thumbnail|logo|icon|cover|poster|banner)\b/u.test(at.words)

/** By the last words of a property's name, in lower case. The first row that matches decides. */
const textsByName: readonly (readonly [words: RegExp, make: MakeText])[] = [
  [/\b(?:first|given|fore) ?names?$/u, givenName],
  [/\b(?:last|family|sur) ?names?$/u, familyName],
  [/\bmiddle names?$/u, (at) => at.spread(givenNames)],
  [
    /\b(?:full|contact|customer|author|owner|user|person|recipient|sender|holder|reviewer|billing|shipping|signer) names?$/u,
    (at) => (/\buser name$/u.test(at.words) ? [userName(at), plain(userName(at))] : fullName(at)),
  ],
  [/\b(?:username|login|nick(?: ?name)?|handle|screen name|user name)$/u, (at) => [userName(at), plain(userName(at))]],
  [
    /\b(?:company|organi[sz]ation|vendor|supplier|publisher|brand|merchant|manufacturer|employer|business|shop|store|seller|legal)(?: names?)?$/u,
    companyName,
  ],
  [/\b(?:product|item) names?$/u, productName],
  [/\be ?mails?(?: address(?:es)?)?$/u, mailbox],
  [/\b(?:phone|mobile|fax|tel|telephone|cell|msisdn|whatsapp)(?: (?:number|no))?s?$/u, phones],
  [/\bipv?6(?: address)?$/u, (at) => `2001:db8::${hex(at, 3)}1`],
  [/\bip(?: ?v4)?(?: ?address(?:es)?)?s?$/u, ipv4],
  [/\bmac(?: address)?$/u, (at) => `00:00:5e:00:53:${hex(at, 2)}`],
  [
    /\b(?:street|address)(?: (?:line|address))?(?: ?1)?$/u,
    (at) => `${at.between(1, 180)} ${at.spread(name.last_name)} Street`,
  ],
  [/\b(?:address|street)(?: line)? ?[23]$/u, (at) => `Floor ${at.between(1, 9)}`],
  [/\b(?:city|town|locality|location|birthplace|place|destination|venue)(?: name)?$/u, (at) => whereIs(at)[0]],
  [
    /\b(?:state|province|region|county)(?: or province)?$/u,
    (at) => [at.spread(address.state), at.spread(address.state_abbr)],
  ],
  [/\b(?:postal ?code|zip(?: ?code)?|postcode|zip)$/u, (at) => String(at.between(10_000, 99_999))],
  [/\bcountry codes?$/u, (at) => [whereIs(at)[2], whereIs(at)[3], whereIs(at)[2].toLowerCase()]],
  [/\b(?:country|nationality|nation)(?: name)?$/u, (at) => [whereIs(at)[1], whereIs(at)[2], whereIs(at)[3]]],
  [/\bcurrenc(?:y|ies)(?: (?:code|id))?$/u, (at) => [whereIs(at)[4], whereIs(at)[4].toLowerCase()]],
  [/\b(?:time ?zone|tz)(?: (?:name|id))?$/u, (at) => whereIs(at)[5]],
  [/\blocale$/u, (at) => [`${whereIs(at)[6]}-${whereIs(at)[2]}`, `${whereIs(at)[6]}_${whereIs(at)[2]}`]],
  [/\b(?:language|lang)(?: code)?s?$/u, (at) => whereIs(at)[6]],
  [/\b(?:latitude|lat)$/u, (at) => String(whereIs(at)[7])],
  [/\b(?:longitude|lng|lon)$/u, (at) => String(whereIs(at)[8])],
  [/\bsku$/u, code],
  [/\bhex\b.*$/u, (at) => [at.spread(colours)[1], at.spread(colours)[1].slice(1)]],
  [/\b(?:order|sort|group) by$/u, () => 'name'],
  [/^(?:e ?mail )?(?:cc|bcc|reply to|from (?:e ?mail|address)|to (?:e ?mail|address)|recipients?|senders?)$/u, mailbox],
  [/\b(?:colou?r)s?$/u, (at) => [at.spread(colours)[0], at.spread(colours)[1], at.spread(colours)[1].slice(1)]],
  [
    /\b(?:image|avatar|photo|picture|thumbnail|logo|icon|cover|poster|banner)s?(?: (?:url|uri|link|src|path|image))?s?$/u,
    image,
  ],
  [/\b(?:urls?|uris?|links?|website|homepage|web|href|webhook|endpoint|callback|permalink|self|site)$/u, url],
  [/\b(?:domain|subdomain|host|hostname|fqdn|server)(?: name)?s?$/u, (at) => `${at.spread(nouns)}.example.com`],
  [/\b(?:uuid|guid)$/u, uuid],
  [
    /\b(?:sha ?\d*|hash|checksum|digest|etag|fingerprint|signature|md5|commit)$/u,
    (at) => [hex(at, 40), hex(at, 64), hex(at, 32)],
  ],
  [/\b(?:token|secret|(?:api|access|client|private|public) key)$/u, (at) => `test-${hex(at, 20)}`],
  [/\bpassword$/u, (at) => `test-password-${at.record.position + 1}`],
  [/\b(?:user agent)$/u, () => 'Mozilla/5.0 (X11; Linux x86_64)'],
  [
    /\b(?:(?:mime|media|content) type|mime)$/u,
    (at) => at.spread(['image/jpeg', 'application/pdf', 'text/plain', 'image/png']),
  ],
  [
    /\b(?:file ?names?|file|attachment|filename|document name)$/u,
    (at) => `${at.spread(nouns)}-${at.record.position + 1}.pdf`,
  ],
  [/\b(?:path|directory|folder)$/u, (at) => `/${pathOf(at)}`],
  [/\bversion$/u, (at) => `${at.between(1, 3)}.${at.between(0, 9, 'minor')}.${at.between(0, 9, 'patch')}`],
  [/\bslugs?$/u, slug],
  [/\bgenders?$/u, (at) => at.spread(['female', 'male'])],
  [
    /\b(?:job(?: title)?|position|occupation|profession|job role)$/u,
    (at) => `${at.spread(name.title.level, 'level')} ${at.spread(name.title.job, 'job')}`,
  ],
  [/\b(?:specialty|specialties)$/u, (at) => at.spread(['cardiology', 'radiology', 'surgery', 'dentistry'])],
  [/\bisbn(?: ?1[03])?$/u, (at) => `97800000${String(at.between(10_000, 99_999))}`],
  [/\biban$/u, (at) => `GB00TEST${String(at.between(10_000_000, 99_999_999)).padStart(14, '0')}`],
  [/\b(?:last ?(?:4|four)|last digits)$/u, (at) => String(at.between(1000, 9999))],
  [/\bgenres?$/u, (at) => at.spread(music.genre)],
  [/\b(?:category|department|section|categories)(?: name)?$/u, (at) => at.spread(commerce.department)],
  [
    /\b(?:tag|label|keyword|topic|skill|interest|hobb(?:y|ie)|ingredient|feature|amenit(?:y|ie)|scope|permission|group)s?$/u,
    (at) => at.spread(words),
  ],
  [/\b(?:status|state)$/u, (at) => at.spread(['active', 'pending', 'active', 'completed'])],
  [/\b(?:role)s?$/u, (at) => at.spread(['member', 'editor', 'admin', 'viewer'])],
  [/\b(?:priority|severity|level|difficulty)$/u, (at) => at.spread(['low', 'medium', 'high'])],
  [/\b(?:size)$/u, (at) => at.spread(['S', 'M', 'L', 'XL'])],
  [/\bunit$/u, (at) => at.spread(['piece', 'kg', 'litre'])],
  [/\bmaterial$/u, (at) => at.spread(commerce.product_name.material)],
  [/\b(?:car|vehicle)? ?model$/u, (at) => at.spread(vehicle.model)],
  [/\b(?:room)$/u, (at) => at.spread(['kitchen', 'hall', 'bedroom', 'balcony', 'office', 'bathroom'])],
  [/\b(?:species|breed)$/u, (at) => at.spread(['tabby', 'terrier', 'canary', 'lop'])],
  [
    /\b(?:price|amount|cost|total|balance|fee|subtotal|tax|salary)$/u,
    (at) => `${at.between(5, 400)}.${at.between(10, 99, 'cents')}`,
  ],
  [/\b(?:birth\w*|born|dob|birth ?date|date of birth)$/u, dateAt],
  [
    /\b(?:created|updated|modified|deleted|started|ended|closed|published|sent|expires|last (?:seen|login|activity))$|\b(?:at|timestamp|date ?time|datetime|created on|updated on)$/u,
    dateTimeAt,
  ],
  [/\b(?:date|day|on|since|deadline|due)$/u, dateAt],
  [/\b(?:time|hour)$/u, (at) => timeOfDayAt(at).slice(0, 5)],
  [/\bduration$/u, (at) => `PT${at.between(1, 12) * 15}M`],
  [/\b(?:year)$/u, (at) => dateAt(at).slice(0, 4)],
  [/\b(?:month)$/u, (at) => dateAt(at).slice(0, 7)],
  [/\bsubject$/u, (at) => at.spread(tasks)],
  [/\b(?:title|headline)$/u, (at) => (people.test(at.noun) ? at.spread(['Ms', 'Mr', 'Dr']) : nameOf(at))],
  [
    /\b(?:name|label|caption)$/u,
    (at) => nameOf(at.of(/^(?!display|short|long|internal|public)(.+) name$/u.exec(at.words)?.[1] ?? at.noun)),
  ],
  [
    /\b(?:description|content|body|text|summary|comment|comments|message|note|notes|bio|biography|about|details?|review|excerpt|abstract|remarks?|answer|question|synopsis|overview|feedback|reason|instructions?|html|markdown|intro|caption|snippet|explanation|plot|quote|lyrics|memo|subtitle|tagline|teaser)$/u,
    text,
  ],
  [
    /\b(?:author|owner|creator|assignee|customer|artist|director|reviewer|teacher|doctor|driver|contact|manager|sender|recipient|by)$/u,
    fullName,
  ],
  [
    /\b(?:code|reference|ref|number|no|sku|barcode|serial|coupon|symbol|isin)$/u,
    (at) => [code(at), String(at.between(1000, 9999)), hex(at, 8)],
  ],
  [/\b(?:uid|id|key|gid|sid)$/u, (at) => `${kebabCase(at.words.replace(/ ?\w+$/u, '') || at.noun)}-${at.number}`],
]

/** Lists believable texts for a property, by its name. Empty: the name says nothing. */
export function textsByNameAt(at: ValuePlace): readonly string[] {
  const made = textsByName.find(([pattern]) => pattern.test(at.words))?.[1](at)
  return made === undefined ? [] : [made].flat()
}

/** Returns a text for a property whose name says nothing. */
export const otherText = (at: ValuePlace): string =>
  `${title(at.spread(adjectives, `adjective ${at.words}`))} ${at.words || at.noun}`

/** Returns a text of the same form as an example: other digits. */
export const likeExample = (at: ValuePlace, example: string): string =>
  /\s/u.test(example)
    ? example
    : example.replaceAll(/\d/gu, (digit, part) =>
        digit === '0' ? '0' : String(1 + at.below(9, `digit ${String(part)}`)),
      )

/** Tells whether a text may lead to a real host, an address or a telephone. */
export const mayBeReal = (example: string): boolean =>
  /:\/\/|@|www\.|\b[\w-]+\.[a-z]{2,}\b|\d{3}[-.\s)]+\d{3,}|^\+?\d{7,}$|\d+\.\d+\.\d+\.\d+/iu.test(example)

export const sentenceAt = (at: ValuePlace, part: number): string => at.spread(sentences, `filler ${part}`)
