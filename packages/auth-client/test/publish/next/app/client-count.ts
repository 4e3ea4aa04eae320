const counter = globalThis as { clientCount?: number }

/** Clients made in this process so far. Pages and routes are bundled apart, so a module would not do. */
export const clientCount = () => counter.clientCount ?? 0

export const countClient = () => void (counter.clientCount = clientCount() + 1)
