/** Public contracts, fetched with `npm pack` into a cache outside of the project. Nothing of a package is installed or run. */
import { execFile } from 'node:child_process'
import { access, mkdir, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { succeeds } from '../helpers/until.js'

export interface CorpusDocument {
  readonly name: string
  readonly from: string
  /** The path inside of the package. */
  readonly path: string
  /** The overlay that makes it legal, in this folder. */
  readonly overlay?: string
  /** The number of stateful operations that a survey of the document expects. Undefined: it was not surveyed. */
  readonly expected?: number
  readonly isLong?: boolean
}

const readme = '@readme/oas-examples@8.2.2'
const paypal = '@paypal/paypal-rest-api-specifications@1.0.0'
const mdclub = { from: 'mdclub-openapi@1.0.2', path: 'dist/openapi.json' }
const octokit = { from: '@octokit/openapi@23.0.2', path: 'generated/api.github.com.json' }

export const documents: readonly CorpusDocument[] = [
  { name: 'petstore-expanded', from: readme, path: '3.0/json/petstore-expanded.json', expected: 4 },
  { name: 'petstore', from: readme, path: '3.0/json/petstore.json', expected: 6 },
  { name: 'galaxy', from: '@scalar/galaxy@0.2.20', path: 'dist/latest.json', expected: 5 },
  { name: 'train-travel', from: readme, path: '3.1/json/train-travel.json', expected: 4 },
  { name: 'star-trek', from: readme, path: '3.0/json/star-trek.json', expected: 0 },
  { name: 'notion', from: '@notionhq/notion-mcp-server@2.5.2', path: 'scripts/notion-openapi.json', expected: 0 },
  { name: 'mdclub', ...mdclub, expected: 24 },
  { name: 'mdclub-overlay', ...mdclub, overlay: 'mdclub.overlay.yaml', expected: 24 },
  { name: 'readme', from: readme, path: '3.1/json/readme.json', expected: 18 },
  { name: 'figma', from: '@figma/rest-api-spec@0.43.0', path: 'openapi/openapi.yaml', expected: 10 },
  { name: 'invoicing', from: paypal, path: 'openapi/invoicing_v2.json', expected: 14 },
  { name: 'directus', from: '@directus/specs@15.2.0', path: 'dist/openapi.json', expected: 51 },
  { name: 'octokit', ...octokit, expected: 219, isLong: true },
]

const namesIn = (text: string): readonly string[] => text.trim().split(/\s+/u)

/** Further documents, which were not surveyed. Most of them show one feature of OpenAPI. */
export const furtherDocuments: readonly CorpusDocument[] = [
  ...namesIn(`
    billing_subscriptions_v1 catalogs_products_v1 checkout_orders_v1 checkout_orders_v2 customer_disputes_v1
    customer_partner_referrals_v1 customer_partner_referrals_v2 invoicing_v1 notifications_webhooks_v1
    payment-experience_web_experience_profiles_v1 payments_payment_v1 payments_payment_v2 payments_payouts_batch_v1
    reporting_transactions_v1 shipping_shipment_tracking_v1 vault_payment_tokens_v3
  `).map((name) => ({ name, from: paypal, path: `openapi/${name}.json` })),
  ...namesIn(`
    callbacks circular circular-request-bodies complex-nesting discriminators file-uploads form-data http-status-codes
    link-example parameters-common parameters-cookies parameters-extreme parameters-style petstore-simple polymorphism
    readme-extensions request-examples response-examples response-http-behavior response-multiple-mediatypes schema-circular
    schema-enums schema-types security-multiple security uspto
  `).map((name) => ({ name, from: readme, path: `3.0/json/${name}.json` })),
]

const run = promisify(execFile)
const cache = join(tmpdir(), 'insights-double-corpus')

/** Fetches the package of a document, if it is not in the cache. @returns The path of the document. */
export async function fetchDocument({ from, path }: CorpusDocument): Promise<string> {
  const folder = join(cache, from.replaceAll(/[^\w.-]+/gu, '-'))
  const isThere = await succeeds(access(folder))
  if (!isThere) {
    const partial = `${folder}.${process.pid}`
    await mkdir(partial, { recursive: true })
    const { stdout } = await run('npm', ['pack', '--silent', '--ignore-scripts', from], { cwd: partial })
    await run('tar', ['-xzf', stdout.trim()], { cwd: partial })
    await rename(partial, folder)
  }
  return join(folder, 'package', path)
}
