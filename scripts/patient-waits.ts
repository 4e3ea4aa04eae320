import { vi } from 'vitest'

const patienceMs = 10_000
const { waitFor } = vi

const waitPatiently: typeof vi.waitFor = (check, options = patienceMs) => waitFor(check, options)

// With the library’s one second tests fail on a busy machine. Files of a worker share `vi`.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently
