/** The roles there are. The first that fits an operation is its role. */
import { create } from './create.js'
import { list } from './list.js'
import { read } from './read.js'
import { remove } from './remove.js'
import { replace } from './replace.js'
import type { Role } from './role.js'
import { update } from './update.js'

/** In the order in which they are tried. */
export const roles: readonly Role[] = [list, create, read, replace, update, remove]
