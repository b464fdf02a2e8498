/** A kind of probe: a function that finds the probes of a contract. */
import type { ProbeContext } from '../probe-context.js'
import type { Probe } from '../probe.js'

/** Finds the probes of one kind. To add a kind, write such a function in a file of this folder, and add it to `probes.ts`. */
export type ProbeKind = (context: ProbeContext) => readonly Probe[]
