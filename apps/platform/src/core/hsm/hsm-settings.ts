import { readFileSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { readText, type Environment } from '../environment.ts'
import { StartupError } from '../startup-error.ts'

/** An HSM, whose keys never leave it. */
export interface HsmSettings {
  /** The HSM's library, an absolute path. */
  module: string
  /** The label of the token. */
  token: string
  /** The current PIN. @throws StartupError if its file cannot be read. */
  pin: () => string
  /** The environment that the library may read: everything but our own secrets. */
  env: Record<string, string>
}

/**
 * null if no HSM is configured.
 * @throws StartupError naming the variable; no message repeats a PIN.
 */
export function readHsmSettings(env: Environment): HsmSettings | null {
  // The PKCS#11 library of an HSM, such as /usr/lib/softhsm/libsofthsm2.so. It enables the HSM.
  const module = readText(env, 'PKCS11_MODULE')
  // The label of the token with the keys.
  const token = readText(env, 'PKCS11_TOKEN')
  // The token's user PIN.
  const pin = readText(env, 'PKCS11_PIN')
  // A file with the PIN, read whenever the HSM is opened.
  const pinFile = readText(env, 'PKCS11_PIN_FILE')
  if (module === undefined) {
    const [name] = Object.entries({
      PKCS11_TOKEN: token,
      PKCS11_PIN: pin,
      PKCS11_PIN_FILE: pinFile,
    })
      .filter(([, value]) => value !== undefined)
      .map(([variable]) => variable)
    if (name !== undefined)
      throw new StartupError(`${name} is set without PKCS11_MODULE, the library of the HSM.`)
    return null
  }
  if (!isAbsolute(module) || !isFile(module))
    throw new StartupError(
      `PKCS11_MODULE is "${module}", where no file is. Set it to the absolute path of the HSM’s PKCS#11 library.`,
    )
  if (token === undefined)
    throw new StartupError('PKCS11_TOKEN is not set: set it to the label of the HSM’s token.')
  if (Buffer.byteLength(token) > 32)
    throw new StartupError('PKCS11_TOKEN is too long: the label of a token has 32 bytes at most.')
  if ((pin === undefined) === (pinFile === undefined))
    throw new StartupError('Set one of PKCS11_PIN and PKCS11_PIN_FILE, the PIN of the HSM’s token.')
  const settings = {
    module,
    token,
    pin: () => pin ?? readPin(pinFile ?? ''),
    env: environmentOf(env),
  }
  settings.pin()
  return settings
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

function readPin(file: string): string {
  let pin: string
  try {
    pin = readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new StartupError(
      `PKCS11_PIN_FILE is "${file}", which cannot be read. Give this user read access to it.`,
      { cause },
    )
  }
  if (pin === '') throw new StartupError(`PKCS11_PIN_FILE is "${file}", which is empty.`)
  return pin
}

/** Libraries read their own settings from variables of their own. */
const environmentOf = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || isOurs.test(name) ? [] : [[name, value]],
    ),
  )

const isOurs =
  /^(GROVE_|PKCS11_PIN|DATABASE_URL|MAIL_URL|OBJECTS_URL|CEDAR_URL|NODE_OPTIONS|.*SECRET|.*PASSWORD)/
