/** Finds the collections that the properties of records refer to, and the parents of collections. */
import { shapeOf } from '../../contract/path-template.js'
import { onceFor } from '../../once.js'
import type { Parent } from '../infer/parents.js'
import { singularOf, singularsOf, wordsOf } from '../names.js'
import type { Collection } from '../resources.js'

/** Words for people in properties such as `authorId` and `created_by`. */
const peopleWords =
  /^(?:author|owner|creator|user|assignee|reporter|reviewer|sender|recipient|customer|member|manager|host|admin|(?:\w+ )?by)$/u
const peopleCollections = ['user', 'person', 'people', 'member', 'account', 'employee', 'customer']

const wordsIn = ({ name }: Collection): string => wordsOf(name.split('/').at(-1) ?? name).join(' ')
const singularsIn = onceFor((collection: Collection) => singularsOf(wordsIn(collection)), new WeakMap())

/** Returns what a record of a collection is, in lower case: `care card`. */
export const nounOf = (collection: Collection): string => singularOf(wordsIn(collection))

/** Finds the collection that a property refers to by its name: `author id`, `author`, `author ids`, `created by`. @param isId - True if the value is an id, which the name must then say. */
export function targetOf(collections: readonly Collection[], words: string, isId: boolean): Collection | undefined {
  const bare = words.replace(/ (?:ids?|uuids?|gids?|sids?|refs?)$/u, '')
  if (isId && bare === words && !words.endsWith(' by')) return undefined
  const nouns = singularsOf(bare).flatMap((noun) => [noun, noun.split(' ').at(-1) ?? noun])
  const people = nouns.some((noun) => peopleWords.test(noun)) ? peopleCollections : []
  for (const noun of [...nouns, ...people]) {
    const found = collections.filter((collection) => singularsIn(collection).includes(noun))
    // One without parents, if there are several.
    if (found.length > 0) return found.find(({ model }) => model.parents.length === 0) ?? found[0]
  }
  return undefined
}

/** Finds the collection of which a parent is a record: `users` of `userId` in `/users/{userId}/orders`. */
export function parentCollection(
  collections: readonly Collection[],
  { model }: Collection,
  { parameter }: Parent,
): Collection | undefined {
  const withoutNames = (path: string): string => shapeOf(path).replace(/\/$/u, '')
  const paths = [model.itemPath ?? '', model.path].filter((path) => path.includes(`{${parameter}}`))
  const starts = paths.map((path) => path.slice(0, path.indexOf(`{${parameter}}`) + parameter.length + 2))
  const known = new Set(starts.map(withoutNames))
  return collections.find((other) => other.model !== model && known.has(withoutNames(other.model.itemPath ?? '')))
}
