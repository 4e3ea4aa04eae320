import { ProblemError, type ProblemCode } from '../http/problem.ts'
import { StartupError } from '../startup-error.ts'
import { HsmFault, type HsmFaultKind } from './hsm-fault.ts'
import { openLink, type HsmLink } from './hsm-link.ts'
import type { HsmAlgorithm, HsmKey, HsmRequest, HsmRole } from './hsm-messages.ts'
import type { HsmSettings } from './hsm-settings.ts'

/** The token of an HSM. Its operations are repeatable, so a lost session is reopened. */
export interface HsmToken {
  /** @throws ProblemError whose code begins with `hsm_`; so do the other operations. */
  create: (set: {
    label: string
    identifier: Uint8Array
    algorithm: HsmAlgorithm
    keys: Record<HsmRole, Uint8Array>
  }) => Promise<void>
  destroy: (label: string) => Promise<void>
  sign: (key: HsmKey, data: Uint8Array[]) => Promise<Uint8Array[]>
  encrypt: (algorithm: HsmAlgorithm, key: HsmKey, data: Uint8Array[]) => Promise<Uint8Array[]>
  encryptDerived: (key: HsmKey, derivation: Uint8Array, data: Uint8Array[]) => Promise<Uint8Array[]>
  /** null if the token answers, otherwise what is wrong; checked at most every ten seconds. */
  check: () => Promise<ProblemError | null>
  close: () => void
}

const problems: Record<HsmFaultKind, [code: ProblemCode, message: string]> = {
  library: [
    'hsm_unavailable',
    'The package koffi, which is needed for HSMs, is not installed. Run: npm ci',
  ],
  module: ['hsm_unavailable', 'The library of the HSM cannot be loaded. Check PKCS11_MODULE.'],
  token: [
    'hsm_unavailable',
    'The HSM has no token, or several, with the label of PKCS11_TOKEN. Check that it is connected.',
  ],
  lost: ['hsm_unavailable', 'The HSM is not responding. Check that it is connected.'],
  unsupported: ['hsm_unavailable', 'The HSM does not support an operation that the keys need.'],
  readable: [
    'hsm_unavailable',
    'The HSM creates extractable keys, so none is kept in it. Check its policy.',
  ],
  pinWrong: [
    'hsm_pin_refused',
    'The HSM rejects the PIN. It is not tried again, so that the token does not lock. Correct PKCS11_PIN and restart, or correct the file of PKCS11_PIN_FILE.',
  ],
  pinLastTry: [
    'hsm_pin_refused',
    'The next wrong PIN locks the token, so none is tried. First log in with the right PIN, using a tool of the HSM.',
  ],
  pinLocked: [
    'hsm_pin_locked',
    'The PIN of the HSM is locked or not set. Set it again with the PIN of the token’s security officer.',
  ],
  full: ['hsm_full', 'The HSM has no room for more keys. Retire keys that are not needed.'],
  missing: [
    'hsm_key_missing',
    'The HSM does not have these keys. Check that PKCS11_TOKEN is the token in which they were created.',
  ],
}

const problemOf = (cause: unknown): ProblemError => {
  if (cause instanceof ProblemError) return cause
  if (cause instanceof StartupError) return new ProblemError('hsm_unavailable', cause.message)
  if (cause instanceof HsmFault) {
    const [code, message] = problems[cause.kind]
    return new ProblemError(code, message, { cause })
  }
  const message = 'The HSM did not answer in time. Its library was ended.'
  return new ProblemError('hsm_unavailable', message, { cause })
}

/** A local module answers within milliseconds; one over a network may take seconds. */
export const hsmLimits = { openMs: 20_000, answerMs: 10_000, checkMs: 10_000 }

export function openHsmToken(
  settings: HsmSettings,
  { openMs, answerMs, checkMs } = hsmLimits,
): HsmToken & { pid: () => Promise<number | undefined> } {
  let link: Promise<HsmLink> | undefined
  let refused: { pin: string; problem: ProblemError } | undefined
  let checked: { at: number; answer: Promise<ProblemError | null> } | undefined
  let isClosed = false

  async function connect(): Promise<HsmLink> {
    if (isClosed) throw new HsmFault('lost', 'the platform stops')
    const pin = settings.pin()
    // A wrong PIN counts, and tokens lock after about three.
    if (refused?.pin === pin) throw refused.problem
    refused = undefined
    const opened = openLink(settings.env)
    const { module, token } = settings
    try {
      const bytes = new Uint8Array(Buffer.from(pin))
      await opened.ask({ name: 'open', module, token, pin: bytes }, openMs)
      bytes.fill(0)
      return opened
    } catch (error) {
      opened.end()
      if (!(error instanceof HsmFault) || error.kind !== 'pinWrong') throw error
      refused = { pin, problem: problemOf(error) }
      throw refused.problem
    }
  }

  /** Concurrent callers share one connection. */
  async function current(): Promise<HsmLink> {
    const known = link
    if (known) {
      const opened = await known
      if (!opened.hasEnded()) return opened
      if (link === known) link = undefined
      return current()
    }
    const opening = connect()
    link = opening
    opening.catch(() => {
      if (link === opening) link = undefined
    })
    return opening
  }

  async function ask(request: HsmRequest): Promise<Uint8Array[]> {
    try {
      const results = await twice(request)
      note(null)
      return results
    } catch (error) {
      const problem = problemOf(error)
      const isAboutKeys = problem.code === 'hsm_key_missing' || problem.code === 'hsm_full'
      note(isAboutKeys ? null : problem)
      throw problem
    }
  }

  const note = (problem: ProblemError | null) => {
    checked = { at: performance.now(), answer: Promise.resolve(problem) }
  }

  /** A restarted module, or one whose session ended, may work in a new session. */
  const twice = (request: HsmRequest): Promise<Uint8Array[]> =>
    once(request).catch((error: unknown) => {
      if (error instanceof HsmFault && error.kind === 'lost') return once(request)
      throw error
    })

  async function once(request: HsmRequest): Promise<Uint8Array[]> {
    const used = await current()
    try {
      return await used.ask(request, answerMs)
    } catch (error) {
      if (error instanceof HsmFault && error.kind === 'lost') used.end()
      throw error
    }
  }

  const ping = (): Promise<ProblemError | null> =>
    ask({ name: 'ping' }).then(
      () => null,
      (error: unknown) => problemOf(error),
    )

  return {
    create: async (set) => void (await ask({ name: 'create', ...set })),
    destroy: async (label) => void (await ask({ name: 'destroy', label })),
    sign: (key, data) => ask({ name: 'sign', key, data }),
    encrypt: (algorithm, key, data) => ask({ name: 'encrypt', algorithm, key, data }),
    encryptDerived: (key, derivation, data) =>
      ask({ name: 'encryptDerived', key, derivation, data }),
    check() {
      const now = performance.now()
      if (!checked || now - checked.at >= checkMs) checked = { at: now, answer: ping() }
      return checked.answer
    },
    close() {
      isClosed = true
      link?.then(
        (each) => each.end(),
        () => {},
      )
    },
    /** The process id of the module's host. */
    pid: async () => (await current()).pid,
  }
}
