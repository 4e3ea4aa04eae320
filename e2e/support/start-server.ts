import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '../../apps/platform/src/core/testing/bundle-programs.ts'
import { programsVariable } from '../../apps/platform/src/core/testing/program-bundle.ts'
import { startPlatform } from '../../apps/platform/src/core/testing/platform-process.ts'
import { copyTemplate, fillTemplate, mainFolder, makeTemplate } from './run-folder.ts'

const commandLine = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))

/** One real platform for the whole run, on a temporary folder; its URL is passed to the tests. */
export default async function startServer(): Promise<() => Promise<void>> {
  const programs = await bundlePrograms([fillTemplate, commandLine])
  process.env[programsVariable] = programs.folder
  const folder = await mkdtemp(join(tmpdir(), 'grove-e2e-'))
  process.env['GROVE_E2E_FOLDER'] = folder
  await makeTemplate()
  await copyTemplate(mainFolder())
  const platform = await startPlatform({ GROVE_DATA: mainFolder() })
  process.env['GROVE_E2E_URL'] = platform.url
  return async () => {
    await platform.stop()
    await rm(folder, { recursive: true, force: true })
    await programs.remove()
  }
}
