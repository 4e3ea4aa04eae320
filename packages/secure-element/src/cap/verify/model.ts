import type { PackageVersion } from '../components.ts'

/** A reference to a class: an offset in the Class component, or two tokens with the top bit set. */
export type ClassRef = number
export const isExternal = (reference: ClassRef): boolean => (reference & 0x8000) !== 0
/** java.lang.Object itself has no superclass. */
export const noClass = 0xffff

export interface ClassRecord {
  offset: number
  isInterface: boolean
  isShareable: boolean
  isRemote: boolean
  /** For an interface: its superinterfaces. */
  interfaces: { reference: ClassRef; indexes: Uint8Array; at: number }[]
  superclass: ClassRef
  /** In 16-bit words. */
  instanceSize: number
  firstReference: number
  references: number
  publicBase: number
  packageBase: number
  /** Addresses; undefined for a method of another package. */
  publicMethods: (number | undefined)[]
  packageMethods: (number | undefined)[]
  /** The number of tokens including those of the superclass, whose methods a table may omit. */
  publicTokens: number
  packageTokens: number
}

/** Tags of constants (Java Card VM Specification 3.1, 6.8). */
export const poolKinds = {
  class: 1,
  instanceField: 2,
  virtualMethod: 3,
  superMethod: 4,
  staticField: 5,
  staticMethod: 6,
} as const
export type PoolKind = keyof typeof poolKinds

export interface PoolEntry {
  kind: PoolKind
  /** The class of a class, an instance field or a virtual method. */
  reference?: ClassRef
  token?: number
  /**
   * For static fields the offset in the image, for static methods an address. Only for internal ones.
   */
  target?: number
}

export interface Handler {
  index: number
  block: number
  start: number
  length: number
  target: number
  catchType: number
}

export interface MethodBlock {
  index: number
  data: Uint8Array
  handlers: Handler[]
  /** Where the methods begin. */
  codeFrom: number
}

export interface DescribedMethod {
  address: number
  token: number
  flags: number
  classOffset: number
  classToken: number
  type: number
  codeLength: number
  handlerCount: number
  handlerIndex: number
  at: number
}

export interface DescribedField {
  token: number
  flags: number
  classOffset: number
  /** For static fields: the offset in the image. */
  target?: number
  /** A primitive type with the top bit set, or an offset among the types. */
  type: number
  at: number
}

export interface DescribedClass {
  token: number
  flags: number
  offset: number
  fields: DescribedField[]
  methods: DescribedMethod[]
}

export interface Descriptor {
  classes: DescribedClass[]
  /** Nibbles of each type by its offset. */
  types: Map<number, number[]>
  isWhole: boolean
}

export interface StaticImage {
  size: number
  references: number
}

export interface ExportedClass {
  offset: number
  fields: number[]
  methods: number[]
}

/** A package as described by its components. */
export interface CapModel {
  isExtended: boolean
  format: string
  usesIntegers: boolean
  imports: readonly PackageVersion[]
  classes: Map<number, ClassRecord>
  pool: (PoolEntry | undefined)[]
  blocks: MethodBlock[]
  statics: StaticImage
  /** By package, since the extended format has several. */
  exports: ExportedClass[][]
  descriptor: Descriptor | undefined
}

export const methodFlags = { private: 0x02, static: 0x08, abstract: 0x40, init: 0x80 }
export const staticFlag = 0x08
