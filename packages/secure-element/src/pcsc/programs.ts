import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The driver with which pcscd accepts a card over the network, where Debian installs it. */
export const vpcdDriver = '/usr/lib/pcsc/drivers/serial/libifdvpcd.so'

/** Debian's own Python, since other installations lack its modules. */
export const python = '/usr/bin/python3'

/** Files or programs, and the Debian package that has them. */
const parts = {
  pcscd: 'pcscd',
  [vpcdDriver]: 'vsmartcard-vpcd',
  pcsc_scan: 'pcsc-tools',
  'opensc-tool': 'opensc',
  unshare: 'util-linux',
  mount: 'mount',
  ip: 'iproute2',
} as const

const pythonParts = {
  [python]: 'python3',
  '/usr/lib/python3/dist-packages/smartcard': 'python3-pyscard',
  '/usr/lib/python3/dist-packages/Cryptodome': 'python3-pycryptodome',
} as const

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']

const exists = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

const isThere = (name: string): boolean =>
  name.startsWith('/') ? exists(name) : folders.some((folder) => exists(join(folder, name)))

const missing = (wanted: Record<string, string>): string[] =>
  Object.entries(wanted).flatMap(([name, from]) => (isThere(name) ? [] : [from]))

/** Debian packages that a private reader needs and this machine lacks. */
export const missingPackages = (): string[] => missing(parts)

/** Additional requirements of the second secure channel implementation. */
export const missingPythonPackages = (): string[] => missing(pythonParts)

/** Programs in `/usr/sbin` are not always on the path. */
export const withSystemPath = (): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: [...new Set(folders)].join(delimiter),
})
