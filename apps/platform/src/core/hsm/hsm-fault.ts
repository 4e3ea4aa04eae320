/** Failures of an HSM. */
export type HsmFaultKind =
  /** The foreign function library is not installed. */
  | 'library'
  | 'module'
  | 'token'
  | 'pinWrong'
  | 'pinLastTry'
  | 'pinLocked'
  | 'full'
  /** The token has no such key. */
  | 'missing'
  /** The module stores keys in a way that exposes them. */
  | 'readable'
  /** The module lacks an operation that we need. */
  | 'unsupported'
  /** The session or the module has ended: another one may work. */
  | 'lost'

export class HsmFault extends Error {
  override readonly name = 'HsmFault'
  readonly kind: HsmFaultKind

  constructor(kind: HsmFaultKind, detail = '') {
    super(detail)
    this.kind = kind
  }
}

/** Return values of PKCS#11 v2.40 (`pkcs11t.h`) that we handle; others end the session. */
const kinds = new Map<number, HsmFaultKind>([
  [0x31, 'full'], // CKR_DEVICE_MEMORY
  [0x70, 'unsupported'], // CKR_MECHANISM_INVALID
  [0x63, 'unsupported'], // CKR_KEY_TYPE_INCONSISTENT
  [0x68, 'unsupported'], // CKR_KEY_FUNCTION_NOT_PERMITTED
  [0xa0, 'pinWrong'], // CKR_PIN_INCORRECT
  [0xa1, 'pinWrong'], // CKR_PIN_INVALID
  [0xa2, 'pinWrong'], // CKR_PIN_LEN_RANGE
  [0xa3, 'pinLocked'], // CKR_PIN_EXPIRED
  [0xa4, 'pinLocked'], // CKR_PIN_LOCKED
  [0x102, 'pinLocked'], // CKR_USER_PIN_NOT_INITIALIZED
])

/** The fault for a module's return value. */
export const faultOf = (name: string, result: number): HsmFault =>
  new HsmFault(kinds.get(result) ?? 'lost', `${name} answers 0x${result.toString(16)}`)
