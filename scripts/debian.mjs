// Debian packages that tests name at the end of their titles.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Whether this process may install packages: it runs as root, as in most containers. */
export const isDebiansToChange = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
export const unattended = { DEBIAN_FRONTEND: 'noninteractive' }

/** Installs missing packages if allowed. Tests of unavailable ones are skipped. */
export function installForTests(packages) {
  if (!isDebiansToChange()) return
  const run = (command, ...args) =>
    spawnSync(command, args, {
      env: { ...process.env, ...unattended },
      encoding: 'utf8',
      timeout: 300_000,
    })
  const isInstalled = (name) =>
    run('dpkg-query', '-W', '-f=${db:Status-Status}', name).stdout === 'installed'
  const missing = packages.filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  console.log(`Installing Debian’s ${missing.join(', ')} …`)
  const install = () => run('apt-get', 'install', '-qy', '--no-install-recommends', ...missing)
  if (install().status === 0) return
  run('apt-get', 'update', '-q')
  if (install().status !== 0) console.log('  … not to be had here: their tests are left out.')
}
