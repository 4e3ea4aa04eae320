import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile, cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { typeScriptFlags } from '../scripts/workspace.mjs'
import { newDeveloper, testAs } from './support/account.ts'
import { createApp } from './support/catalogue.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { expect } from './support/test.ts'

const test = testAs(newDeveloper)
const command = fileURLToPath(new URL('../packages/cli/src/grove.ts', import.meta.url))
const sample = fileURLToPath(
  new URL('../apps/platform/src/sample/apps/habit-garden/v1.0.0', import.meta.url),
)

let folder = ''
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-publish-'))
  await cp(sample, folder, { recursive: true })
})
test.afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs the command as a build server does. */
async function grove(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [...typeScriptFlags(), command, 'publish', ...args], {
    env: { ...process.env, NODE_OPTIONS: '', GITHUB_ACTIONS: '', GITLAB_CI: '', ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}

test('a folder is published from the command line with a key that is shown once', async ({
  page,
  account,
  baseURL,
}) => {
  const { productId } = await createApp(account, { 'en-US': 'Tides' })
  await page.goto('/dashboard/cedar/keys')
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Build server')
  await page.keyboard.press('Control+Enter')
  const shown = page.getByRole('dialog', { name: 'Publish key “Build server”' })
  await expect(shown).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  const key = await shown.getByText('grove_publish_').innerText()
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  const panel = page.getByRole('dialog', { name: 'Build server' })
  await expect(panel.getByText(`…${key.slice(-4)}`)).toBeVisible()
  await expect(page.getByText(key)).toHaveCount(0)

  const env = { GROVE_URL: baseURL ?? '', GROVE_KEY: key }
  const line = [folder, '--app', productId, '--version', '1.0.0', '--notes', 'Now with rain']
  const published = await grove([...line, '--enable'], env)
  expect(published).toMatchObject({ code: 0, stderr: expect.stringContaining('1.0.0 is live') })
  const again = await grove(line, env)
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('has this package already'),
  })

  // What was published is there for people, who can follow the address that was printed.
  await page.goto(published.stdout.trim())
  await expect(page.getByRole('heading', { level: 1 })).toContainText('1.0.0')
  await expect(page.getByText('Live', { exact: true }).first()).toBeVisible()

  await writeFile(join(folder, 'more.txt'), 'more')
  const other = await grove(line, env)
  expect(other).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('Publish a higher version'),
  })
  const next = await grove([folder, '--app', productId, '--json'], env)
  expect(JSON.parse(next.stdout)).toMatchObject({ version: '1.0.1', enabled: false })
  await rm(join(folder, 'index.html'))
  const refused = await grove([folder, '--app', productId], { ...env, GITHUB_ACTIONS: 'true' })
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('::error ') })

  await page.goto('/dashboard/cedar/keys')
  await page.getByRole('row', { name: 'Build server' }).click()
  await panel.getByRole('button', { name: 'Revoke…' }).click()
  await expect(question(page)).toContainText('can no longer publish')
  await answer(page, 'Revoke the key')
  await expect(page.getByText('No publish keys yet')).toBeVisible()
  expect(await grove(line, env)).toMatchObject({ code: 3 })
})

test('keys fit a phone, in Russian', async ({ page, account }) => {
  const [provider] = await account.call<{ id: string }[]>('/api/provider')
  const name = 'Сервер сборки приложений для телефонов и планшетов'
  const body = { providerId: provider?.id, name }
  await account.call('/api/developer/publishKey', { method: 'POST', body })
  await page.setViewportSize(phone)
  await page.addInitScript(() => localStorage.setItem('grove.locale', 'ru-RU'))
  await page.goto('/dashboard/cedar/keys')
  await expect(page.getByRole('heading', { name: 'Ключи публикации' })).toBeVisible()
  await expectNoOverflow(page)
  await expectAccessible(page)
  await page.getByText(name).click()
  await expect(page.getByRole('dialog', { name })).toBeVisible()
  await expectNoOverflow(page)
})
