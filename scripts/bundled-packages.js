/** Finds the packages whose code is in the bundle, and describes them: a bill of materials (CycloneDX) and a notice with each licence. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * @typedef {object} BundledPackage
 * @property {string} name
 * @property {string} version
 * @property {string} licence The SPDX expression, as the package states it.
 * @property {string} text The text of its licence. Empty if it contains none.
 */

const moduleInPackage = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u

/**
 * Reads the packages of some modules, each version once, by name.
 *
 * @param {Iterable<string>} modules - Absolute paths. Those outside of `node_modules` belong to no package.
 * @returns {Promise<BundledPackage[]>}
 */
export async function readPackages(modules) {
  const folders = new Set([...modules].flatMap((file) => moduleInPackage.exec(file.replaceAll('\\', '/')) ?? []))
  const packages = await Promise.all([...folders].map(readPackage))
  const unique = new Map(packages.map((each) => [`${each.name}@${each.version}`, each]))
  return [...unique].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
}

/** @returns {Promise<BundledPackage>} */
async function readPackage(folder) {
  const { license, licenses, name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const [older] = [licenses].flat()
  const files = await readdir(folder)
  const file = files.find((each) => /^(?:licen[cs]e|copying)(?:\.|$|-)/iu.test(each))
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8')
  return { name, version, licence: license?.type ?? license ?? older?.type ?? 'unknown', text: text.trim() }
}

/** @param {readonly BundledPackage[]} packages */
export const noticeOf = (packages) =>
  [
    'The code of these packages is a part of this one. Each keeps its licence.',
    ...packages.map(
      ({ licence, name, text, version }) =>
        `${'='.repeat(80)}\n${name} ${version} (${licence})\n\n${text || `The package states its licence, ${licence}, without a text.`}`,
    ),
    '',
  ].join('\n\n')

/** Creates a bill of materials. It has no time and no serial number, so that the same bundle gives the same file. @param {readonly BundledPackage[]} packages */
export const billOfMaterials = (packages) =>
  `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      components: packages.map(({ licence, name, version }) => {
        const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
        const license = /[ (]/u.test(licence) ? { expression: licence } : { license: { id: licence } }
        return { type: 'library', 'bom-ref': purl, name, version, licenses: [license], purl }
      }),
    },
    undefined,
    2,
  )}\n`
