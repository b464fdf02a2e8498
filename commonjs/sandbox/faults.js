"use strict";
/** Faults: requests that get a delayed, different, partial or no response. They are counted, never random: the same calls give the same results. */
Object.defineProperty(exports, "__esModule", { value: true });
exports.Faults = void 0;
/** Tells whether a fault affects a request. */
function affects({ match: { caller, parameters = {} }, operation }, request) {
    return ((operation === null || operation === request.operation) &&
        (caller === undefined || caller === request.caller) &&
        Object.entries(parameters).every(([name, value]) => request.hasParameter(name, value)));
}
/** The faults of one sandbox, in the order in which they were added. */
class Faults {
    #counted = [];
    #last = 0;
    /** True if there is no fault. */
    get isEmpty() {
        return this.#counted.length === 0;
    }
    /** Creates a fault with its defaults. It is not added yet. */
    prepare(request) {
        const { operation = null, match = {}, skip = 0, times = 1, delayMs = 0, status = null, headers = {} } = request;
        const { disconnect = false, truncate = false, chunkDelayMs = 0 } = request;
        const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
        return {
            id: `fault-${++this.#last}`,
            operation,
            match,
            skip,
            times,
            delayMs,
            status,
            headers: Object.fromEntries(fields),
            ...(request.body === undefined ? {} : { body: request.body }),
            disconnect,
            truncate,
            chunkDelayMs,
            fired: 0,
        };
    }
    /** Adds a fault at the end. */
    add(fault) {
        this.#counted.push({ fault, skipped: 0 });
    }
    /** Returns the faults that still affect requests. */
    list() {
        return this.#counted.map(({ fault }) => fault);
    }
    /** Removes a fault. @returns Whether it existed. */
    remove(id) {
        const before = this.#counted.length;
        this.#counted = this.#counted.filter(({ fault }) => fault.id !== id);
        return this.#counted.length < before;
    }
    /** Removes every fault. */
    clear() {
        this.#counted = [];
    }
    /**
     * Counts a request.
     *
     * @returns The fault to inject: the first that matches and has skipped enough requests. Undefined if there is none.
     */
    next(request) {
        for (const counted of this.#counted) {
            const { fault } = counted;
            if (!affects(fault, request))
                continue;
            if (counted.skipped < fault.skip) {
                counted.skipped++;
                continue;
            }
            counted.fault = { ...fault, fired: fault.fired + 1 };
            if (fault.times !== 'always' && counted.fault.fired >= fault.times)
                this.remove(fault.id);
            return counted.fault;
        }
        return undefined;
    }
}
exports.Faults = Faults;
//# sourceMappingURL=faults.js.map