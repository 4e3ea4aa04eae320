import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where Debian installs it. */
const library = '/usr/lib/softhsm/libsofthsm2.so'
export const hasSoftHsm = existsSync(library) && existsSync('/usr/bin/softhsm2-util')

export interface SoftHsm {
  folder: string
  /** The environment of a platform that uses it. */
  env: Record<string, string>
  pin: string
  close: () => Promise<void>
}

/** A SoftHSM token in a temporary folder. */
export async function startSoftHsm(label = 'grove'): Promise<SoftHsm> {
  const folder = await mkdtemp(join(tmpdir(), 'grove-hsm-'))
  await mkdir(join(folder, 'tokens'))
  const config = join(folder, 'softhsm2.conf')
  await writeFile(config, `directories.tokendir = ${join(folder, 'tokens')}\n`)
  const pin = '48151623'
  const env = { SOFTHSM2_CONF: config, PATH: process.env['PATH'] ?? '' }
  const given = ['--init-token', '--free', '--label', label, '--pin', pin, '--so-pin', '42424242']
  await run('softhsm2-util', given, { env })
  return {
    folder,
    pin,
    env: { ...env, PKCS11_MODULE: library, PKCS11_TOKEN: label, PKCS11_PIN: pin },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Kills the processes that host a module for this one, like a crash of the module. */
export async function endModules(): Promise<void> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  for (const child of children.split(' ').filter((pid) => pid !== '')) {
    const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
    if (command.includes('hsm-process')) process.kill(Number(child), 'SIGKILL')
  }
}
