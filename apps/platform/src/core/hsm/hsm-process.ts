// The process of a PKCS#11 module: if it hangs or crashes, nothing else is affected.
import { openCryptoki } from './cryptoki.ts'
import { HsmFault } from './hsm-fault.ts'
import {
  createKeys,
  destroyKeys,
  encrypt,
  encryptDerived,
  sign,
  type OpenToken,
} from './hsm-keys.ts'
import type { HsmAnswer, HsmQuestion, HsmRequest } from './hsm-messages.ts'

// CK_TOKEN_INFO
const finalTry = 0x0002_0000
const locked = 0x0004_0000

let opened: OpenToken | undefined

async function open({
  module,
  token: label,
  pin,
}: Extract<HsmRequest, { name: 'open' }>): Promise<void> {
  const library = await import('koffi').catch((cause: unknown) => {
    throw new HsmFault('library', cause instanceof Error ? cause.message : '')
  })
  const cryptoki = openCryptoki(library.default, module)
  cryptoki.initialize()
  const [token, second] = cryptoki.tokens().filter((each) => each.label === label)
  if (!token || second) throw new HsmFault('token')
  if ((token.flags & locked) !== 0) throw new HsmFault('pinLocked')
  // Another wrong one would lock the token for everyone.
  if ((token.flags & finalTry) !== 0) throw new HsmFault('pinLastTry')
  const session = cryptoki.openSession(token.slot)
  cryptoki.login(session, pin)
  pin.fill(0)
  opened = { cryptoki, session, found: new Map() }
}

function run(token: OpenToken, request: Exclude<HsmRequest, { name: 'open' }>): Uint8Array[] {
  switch (request.name) {
    case 'create':
      try {
        createKeys(token, request)
      } finally {
        for (const key of Object.values(request.keys)) key.fill(0)
      }
      return []
    case 'destroy':
      destroyKeys(token, request.label)
      return []
    case 'sign':
      return sign(token, request.key, request.data)
    case 'encrypt':
      return encrypt(token, request.key, request.algorithm, request.data)
    case 'encryptDerived':
      return encryptDerived(token, request.key, request.derivation, request.data)
    case 'ping':
      token.cryptoki.ping(token.session)
      return []
  }
}

async function answer(request: HsmRequest): Promise<Uint8Array[]> {
  if (request.name === 'open') {
    await open(request)
    return []
  }
  if (!opened) throw new HsmFault('lost', 'no token is open')
  return run(opened, request)
}

process.on('message', ({ id, request }: HsmQuestion) => {
  const reply = (message: HsmAnswer) => process.send?.(message)
  answer(request).then(
    (results) => reply({ id, results }),
    (error: unknown) => {
      const { kind, message: detail } =
        error instanceof HsmFault ? error : new HsmFault('lost', 'the call failed')
      reply({ id, fault: { kind, detail } })
    },
  )
})

// The platform has exited.
process.on('disconnect', () => process.exit(0))
