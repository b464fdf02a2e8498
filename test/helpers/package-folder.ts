import { fileURLToPath } from 'node:url'

/** The folder of the package. */
export const packageFolder = fileURLToPath(new URL('../../../', import.meta.url))
