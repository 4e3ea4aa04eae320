import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programArgs } from '../../apps/platform/src/core/testing/run-script.ts'

const program = fileURLToPath(new URL('../../packages/device-agent/src/main.ts', import.meta.url))

/** Device programs that keep their secrets in a temporary folder and end with the test. */
export async function agentPrograms() {
  const folder = await mkdtemp(join(tmpdir(), 'grove-agents-'))
  const running: ChildProcess[] = []
  return {
    /**
     * Runs the command shown on a product's page, `npx --yes …/grove-device.tgz …`, from the sources of
     * that program. `guides.spec.ts` runs what is served.
     */
    run(command: string, ...more: string[]) {
      const [, args = ''] = command.split('/downloads/grove-device.tgz ')
      const state = ['--state', join(folder, `${running.length}.json`)]
      const all = [...args.split(' '), ...state, ...more]
      const child = spawn(process.execPath, programArgs(program, ...all), {
        env: { ...process.env, NODE_OPTIONS: '' },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      running.push(child)
    },
    /**
     * Options of a device whose firmware is a file containing its version, which an update replaces.
     */
    async firmware(version: string): Promise<string[]> {
      const [file, program] = [join(folder, 'version'), join(folder, 'install.cjs')]
      await writeFile(file, version)
      const installs = `require('fs').writeFileSync(${JSON.stringify(file)}, process.env.GROVE_VERSION)`
      await writeFile(program, installs)
      return ['--firmware-file', file, '--on-update', `${process.execPath} ${program}`]
    },
    async stop() {
      for (const child of running) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}
