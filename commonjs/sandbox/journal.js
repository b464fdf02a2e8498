"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Journal = exports.defaultJournalLimits = void 0;
/** The default limits of a journal. */
exports.defaultJournalLimits = { maxEntries: 1000, maxBytes: 4 * 1024 * 1024 };
/** Tells whether an entry matches a filter. */
function matches(entry, filter) {
    return ((filter.operation === undefined || entry.operation === filter.operation) &&
        (filter.status === undefined || entry.status === filter.status) &&
        (filter.caller === undefined || entry.caller === filter.caller) &&
        (filter.verdict === undefined || entry.verdict === filter.verdict));
}
/** The journal of one sandbox since its last reset. */
class Journal {
    #limits;
    #listeners = new Set();
    /** Oldest first. */
    #entries = [];
    #bytes = 0;
    #evicted = 0;
    /** Number of entries that were ever recorded. Entries are numbered from 1. */
    #recorded = 0;
    constructor(limits = exports.defaultJournalLimits) {
        this.#limits = limits;
    }
    /** Number of entries that were dropped since the journal was last cleared. */
    get evicted() {
        return this.#evicted;
    }
    /** The number of the newest entry, from 1. 0 if none was ever recorded. */
    get newest() {
        return this.#recorded;
    }
    /** Returns the number of an entry. 0 if the journal does not contain it. */
    numberOf(id) {
        const index = this.#entries.findIndex(({ entry }) => entry.id === id);
        return index === -1 ? 0 : this.dropped + index + 1;
    }
    /**
     * Returns the entry that follows a number: the entry, its number, and the number of entries in between that were dropped or cleared.
     *
     * @returns Undefined if there is none.
     */
    next(number) {
        const missed = Math.max(0, this.dropped - number);
        const following = this.#entries[number + missed - this.dropped];
        return following && { entry: following.entry, number: number + missed + 1, missed };
    }
    /** Number of all recorded entries that were dropped or cleared. */
    get dropped() {
        return this.#recorded - this.#entries.length;
    }
    /** Records a request. */
    record(entry) {
        const size = sizeOf(entry);
        this.#entries.push({ entry, size });
        this.#recorded++;
        this.#bytes += size;
        const { maxBytes, maxEntries } = this.#limits;
        while (this.#entries.length > maxEntries || (this.#bytes > maxBytes && this.#entries.length > 1))
            this.#dropOldest();
        for (const listener of this.#listeners)
            listener(entry);
    }
    /** Returns the entries that match a filter, oldest first. */
    entries(filter = {}) {
        return this.#entries.map(({ entry }) => entry).filter((entry) => matches(entry, filter));
    }
    /** Returns an entry. Undefined if the journal does not contain it. */
    entry(id) {
        return this.#entries.find(({ entry }) => entry.id === id)?.entry;
    }
    /** Waits until enough entries match. @returns Whether enough matched in time. */
    async wait(filter, { atLeast, createSignal, withinMs }) {
        const isSatisfied = () => this.entries(filter).length >= atLeast;
        if (isSatisfied())
            return true;
        const signal = createSignal?.();
        if (signal?.aborted)
            return false;
        return new Promise((resolve) => {
            const finish = () => {
                clearTimeout(timer);
                stopListening();
                signal?.removeEventListener('abort', finish);
                resolve(isSatisfied());
            };
            const timer = setTimeout(finish, withinMs);
            const stopListening = this.listen((entry) => {
                if (matches(entry, filter) && isSatisfied())
                    finish();
            });
            signal?.addEventListener('abort', finish);
        });
    }
    /** Adds a listener. @returns A function that removes it. */
    listen(listener) {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }
    /** Removes all entries and resets `evicted`. Listeners stay. */
    clear() {
        this.#entries = [];
        this.#bytes = 0;
        this.#evicted = 0;
    }
    #dropOldest() {
        this.#bytes -= this.#entries.shift()?.size ?? 0;
        this.#evicted++;
    }
}
exports.Journal = Journal;
/** Estimates the size of an entry in bytes: the parts that a client controls, and a constant for the rest. */
function sizeOf(entry) {
    let size = 400 + entry.url.length;
    for (const name in entry.headers)
        size += name.length + (entry.headers[name]?.length ?? 0);
    for (const violation of entry.violations)
        size += violation.message.length;
    return size;
}
//# sourceMappingURL=journal.js.map