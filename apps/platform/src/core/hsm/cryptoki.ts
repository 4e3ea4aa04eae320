import type koffi from 'koffi'
import { callMemory } from './call-memory.ts'
import { faultOf, HsmFault } from './hsm-fault.ts'

/** The index of each function in the PKCS#11 v2.40 function list (`pkcs11f.h`), after the version. */
const places = {
  C_Initialize: 1,
  C_GetSlotList: 5,
  C_GetTokenInfo: 7,
  C_OpenSession: 13,
  C_GetSessionInfo: 16,
  C_Login: 19,
  C_CreateObject: 21,
  C_DestroyObject: 23,
  C_GetAttributeValue: 25,
  C_FindObjectsInit: 27,
  C_FindObjects: 28,
  C_FindObjectsFinal: 29,
  C_EncryptInit: 30,
  C_Encrypt: 31,
  C_SignInit: 43,
  C_Sign: 44,
  C_DeriveKey: 63,
} as const
const listLength = 69

/** Bytes, a CK_ULONG or a CK_BBOOL. */
type Value = Uint8Array | number | boolean
export type Template = readonly (readonly [type: number, value: Value])[]

/** A mechanism with its parameter, or with derivation data. */
export interface Mechanism {
  type: number
  parameter?: Uint8Array
  /** CK_…_CBC_ENCRYPT_DATA_PARAMS: the parameter, then a pointer to the data, and its length. */
  data?: Uint8Array
}

export interface TokenFacts {
  slot: bigint
  label: string
  flags: number
}

const alreadyInitialized = 0x191
const alreadyLoggedIn = 0x100
const serialAndReadWrite = 0x6
const normalUser = 1
const labelBytes = 32
const tokenInfoBytes = 208
const flagsAt = 96
const maxSlots = 512
const maxResultLength = 4096

/** An unreferenced library is unloaded, along with the functions that its list points to. */
const loaded: unknown[] = []

export type Cryptoki = ReturnType<typeof openCryptoki>

/**
 * The PKCS#11 functions that we need, called in this process. A module may hang or crash, so this is
 * not the platform's process.
 * @throws HsmFault
 */
export function openCryptoki(library: typeof koffi, module: string) {
  // Then every argument is a machine word: CK_ULONG, a handle, a pointer or a CK_BBOOL.
  if (library.sizeof('ulong') !== 8 || library.sizeof('void *') !== 8)
    throw new HsmFault('library', 'PKCS#11 needs a system of 64 bits with long words of 64 bits')
  const memory = callMemory(library)
  const prototypes = Array.from({ length: 8 }, (_, count) =>
    library.proto('ulong', Array<string>(count).fill('uint64_t')),
  )
  const functions = functionList()

  function functionList(): BigUint64Array {
    try {
      const handle = library.load(module)
      loaded.push(handle)
      const getList = handle.func('C_GetFunctionList', 'ulong', ['uint64_t'])
      const place = memory.putWords(0)
      const result = Number(getList(place))
      if (result !== 0) throw faultOf('C_GetFunctionList', result)
      return new BigUint64Array(library.view(memory.word(place), listLength * 8))
    } catch (cause) {
      throw new HsmFault('module', cause instanceof Error ? cause.message : '')
    } finally {
      memory.wipe()
    }
  }

  const resultOf = (name: keyof typeof places, ...given: (number | bigint)[]): number =>
    Number(library.call(functions[places[name]], prototypes[given.length] ?? '', ...given))

  const call = (name: keyof typeof places, ...given: (number | bigint)[]): void => {
    const result = resultOf(name, ...given)
    if (result !== 0) throw faultOf(name, result)
  }

  /** One operation, after which its memory is wiped. */
  function operation<Result>(work: () => Result): Result {
    try {
      return work()
    } finally {
      memory.wipe()
    }
  }

  /** An array of CK_ATTRIBUTE: type, pointer, length. */
  function putTemplate(template: Template): [address: bigint, count: number] {
    const words = template.flatMap(([type, value]) => {
      if (typeof value === 'number') return [type, memory.putWords(value), 8]
      if (typeof value === 'boolean') return [type, memory.put(Uint8Array.of(value ? 1 : 0)), 1]
      return [type, memory.put(value), value.length]
    })
    return [memory.putWords(...words), template.length]
  }

  /** A CK_MECHANISM: type, pointer, length. */
  function putMechanism({ type, parameter, data }: Mechanism): bigint {
    if (!parameter) return memory.putWords(type, 0, 0)
    if (!data) return memory.putWords(type, memory.put(parameter), parameter.length)
    const pointed = memory.put(data)
    const address = memory.put(parameter)
    memory.putWords(pointed, data.length)
    return memory.putWords(type, address, parameter.length + 16)
  }

  /** The result of a function whose last two arguments are a buffer and its length. */
  function produced(name: 'C_Encrypt' | 'C_Sign', session: bigint, data: Uint8Array): Uint8Array {
    const place = memory.take(maxResultLength)
    const length = memory.putWords(maxResultLength)
    call(name, session, memory.put(data), data.length, place, length)
    return memory.read(place, Number(memory.word(length)))
  }

  return {
    initialize(): void {
      const result = resultOf('C_Initialize', 0)
      if (result !== 0 && result !== alreadyInitialized) throw faultOf('C_Initialize', result)
    },
    tokens: (): TokenFacts[] =>
      operation(() => {
        const count = memory.putWords(maxSlots)
        const slots = memory.take(maxSlots * 8)
        call('C_GetSlotList', 1, slots, count)
        const info = memory.take(tokenInfoBytes)
        return Array.from({ length: Number(memory.word(count)) }, (_, index) => {
          const slot = memory.word(slots + BigInt(index * 8))
          if (resultOf('C_GetTokenInfo', slot, info) !== 0) return undefined
          const label = Buffer.from(memory.read(info, labelBytes)).toString().trimEnd()
          return { slot, label, flags: Number(memory.word(info + BigInt(flagsAt))) }
        }).filter((token) => token !== undefined)
      }),
    openSession: (slot: bigint): bigint =>
      operation(() => {
        const handle = memory.putWords(0)
        call('C_OpenSession', slot, serialAndReadWrite, 0, 0, handle)
        return memory.word(handle)
      }),
    login: (session: bigint, pin: Uint8Array): void =>
      operation(() => {
        const result = resultOf('C_Login', session, normalUser, memory.put(pin), pin.length)
        if (result !== 0 && result !== alreadyLoggedIn) throw faultOf('C_Login', result)
      }),
    ping: (session: bigint): void =>
      operation(() => call('C_GetSessionInfo', session, memory.take(64))),
    find: (session: bigint, template: Template, most = 100): bigint[] =>
      operation(() => {
        call('C_FindObjectsInit', session, ...putTemplate(template))
        try {
          const found = memory.take(most * 8)
          const count = memory.putWords(0)
          call('C_FindObjects', session, found, most, count)
          return Array.from({ length: Number(memory.word(count)) }, (_, index) =>
            memory.word(found + BigInt(index * 8)),
          )
        } finally {
          resultOf('C_FindObjectsFinal', session)
        }
      }),
    create: (session: bigint, template: Template): bigint =>
      operation(() => {
        const handle = memory.putWords(0)
        call('C_CreateObject', session, ...putTemplate(template), handle)
        return memory.word(handle)
      }),
    destroy: (session: bigint, object: bigint): void => call('C_DestroyObject', session, object),
    /** A CK_BBOOL of an object. */
    flag: (session: bigint, object: bigint, type: number): boolean =>
      operation(() => {
        const place = memory.take(1)
        call('C_GetAttributeValue', session, object, memory.putWords(type, place, 1), 1)
        return memory.read(place, 1)[0] === 1
      }),
    encrypt: (session: bigint, mechanism: Mechanism, key: bigint, data: Uint8Array): Uint8Array =>
      operation(() => {
        call('C_EncryptInit', session, putMechanism(mechanism), key)
        return produced('C_Encrypt', session, data)
      }),
    sign: (session: bigint, mechanism: Mechanism, key: bigint, data: Uint8Array): Uint8Array =>
      operation(() => {
        call('C_SignInit', session, putMechanism(mechanism), key)
        return produced('C_Sign', session, data)
      }),
    derive: (session: bigint, mechanism: Mechanism, key: bigint, template: Template): bigint =>
      operation(() => {
        const handle = memory.putWords(0)
        call('C_DeriveKey', session, putMechanism(mechanism), key, ...putTemplate(template), handle)
        return memory.word(handle)
      }),
  }
}
