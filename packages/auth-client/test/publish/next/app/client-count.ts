const counter = globalThis as { clientCount?: number }

/**
 * Clients created in this process so far. Pages and routes are bundled separately, so a module would
 * not do.
 */
export const clientCount = () => counter.clientCount ?? 0

export const countClient = () => void (counter.clientCount = clientCount() + 1)
