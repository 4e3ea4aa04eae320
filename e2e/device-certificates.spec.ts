import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasOpenssl } from '../apps/platform/src/services/maple/connect/gateway/testing/openssl.ts'
import { keepSignedIn, newDeveloper } from './support/account.ts'
import { agentPrograms } from './support/agents.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  inRussian,
  phone,
  question,
} from './support/page-checks.ts'
import { devicePage } from './support/device-page.ts'
import { openStage } from './support/stage.ts'
import { expect } from './support/test.ts'
import { test as withTls } from './support/tls-platform.ts'

const test = withTls.extend<{ programs: Awaited<ReturnType<typeof agentPrograms>> }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
  programs: async ({}, use) => {
    const programs = await agentPrograms()
    await use(programs)
    await programs.stop()
  },
})
/** A program starts, connects and appears on the page. */
const slow = { timeout: 30_000 }

test('a developer adds a certificate authority, admits a device with its certificate, and revokes it @long', async ({
  page,
  baseURL,
  tls,
  programs,
}) => {
  test.skip(!hasOpenssl, 'needs openssl')
  test.setTimeout(180_000)
  const url = baseURL ?? ''
  const developer = await newDeveloper(url)
  const inStage = await openStage(developer, url)
  await keepSignedIn(page.context(), developer, url)
  const { id: productId } = await inStage<{ id: string }>('/api/maple/products', {
    name: `Pump ${randomUUID().slice(0, 8)}`,
  })
  const productPage = `/dashboard/maple/products/${productId}`
  const { folder } = tls.made
  /** Runs the command that a page shows, like its reader. */
  const run = (command: string) =>
    execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  const sound = async () => {
    await expectNoOverflow(page)
    await expectAccessible(page)
  }

  await page.goto(productPage)
  const authorities = page.getByRole('region', { name: 'Certificate authorities' })
  await expect(authorities).toContainText('No certificate authority yet.')
  await authorities.getByRole('button', { name: 'Add an authority…' }).click()
  const adding = page.getByRole('dialog', { name: 'Add a certificate authority' })
  await adding.getByText('How to create one with openssl').click()
  run(await adding.getByText(/^openssl ecparam/).innerText())
  const pem = adding.getByRole('textbox', { name: 'Certificate in PEM' })
  await adding.getByRole('textbox', { name: 'Name' }).fill('Factory 7')
  await pem.fill(readFileSync(join(folder, 'ca.key'), 'utf8'))
  await adding.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(adding).toContainText('This is a private key.')
  await expect(pem).toBeFocused()
  // The server refuses one that is not a CA, at the same field.
  const root = { cert: join(folder, 'ca.crt'), key: join(folder, 'ca.key') }
  await pem.fill(readFileSync(tls.made.issue(root, '/CN=leaf').cert, 'utf8'))
  await adding.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(adding).toContainText('it must contain CA:TRUE')
  await expect(pem).toBeFocused()
  await sound()
  await pem.fill(readFileSync(root.cert, 'utf8'))
  await adding.getByRole('button', { name: 'Add', exact: true }).click()

  // A signature of another text is refused: it stays in its field, and cannot be dropped by mistake.
  const proving = page.getByRole('dialog', { name: 'Prove ownership of “Factory 7”' })
  const command = await proving.getByText(/^printf/).innerText()
  const signature = proving.getByRole('textbox', { name: 'Signature' })
  const wrong = run(command.replace('grove-', 'other-'))
  await signature.fill(wrong)
  await proving.getByRole('button', { name: 'Prove', exact: true }).click()
  await expect(signature).toHaveAccessibleDescription(/This was not created by the command/)
  await expect(signature).toHaveValue(wrong)
  await expect(signature).toBeFocused()
  await sound()
  await page.keyboard.press('Escape')
  await expect(question(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(signature).toHaveValue(wrong)
  await signature.fill(run(command))
  await page.keyboard.press('Tab')
  await proving.getByRole('button', { name: 'Prove', exact: true }).click()
  const authority = authorities.getByRole('listitem')
  await expect(authority).toContainText('In use')
  await expect(authority).toContainText('0 devices')

  const id = `pump-${randomUUID().slice(0, 8)}`
  const serial = '0ABC07'
  const { cert, key } = tls.made.issue(root, `/CN=${id}`, { serial })
  const shown = `--cert ${cert} --key ${key} --ca ${tls.server.cert}`
  programs.run(
    `npx --yes ${tls.url}/downloads/grove-device.tgz --platform ${tls.url} ${shown} --every 1`,
  )
  await expect(page.getByRole('list', { name: 'Devices by state' })).toContainText(
    'To be accepted',
    slow,
  )
  await expect(authority).toContainText('1 device')
  await sound()
  await page.getByRole('list', { name: 'Newest devices' }).getByRole('link', { name: id }).click()

  const { openPart, connection, secrets, certificates, messages } = devicePage(page)
  await openPart('Elements and security')
  const item = certificates.getByRole('list', { name: 'Certificates' }).getByRole('listitem')
  await expect(item).toContainText(serial)
  await expect(item).toContainText('Valid')
  await expect(item).toContainText('signed by Factory 7')
  await expect(secrets).toContainText('The device has no secret yet.')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('radio', { name: 'Accepted', exact: true }).check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await openPart('Overview')
  await expect(connection.getByText('Connected', { exact: true })).toBeVisible()
  await sound()
  await openPart('Messages')
  await expect(messages).toContainText('uptime', slow)
  await sound()

  await openPart('Elements and security')
  const revoke = certificates.getByRole('button', { name: `Revoke ${serial}…` })
  await revoke.click()
  await answer(page, 'Revoke')
  await expect(item).toContainText('Revoked')
  await expect(revoke).toBeFocused()
  await expect(revoke).toHaveAttribute('aria-disabled', 'true')
  await openPart('Overview')
  await expect(connection.getByText('Not connected', { exact: true })).toBeVisible()
  await page.setViewportSize(phone)
  await sound()
  await page.goto(productPage)
  await expect(authority).toContainText(`certificate ${serial}. It is revoked.`, slow)
  await sound()

  await page.emulateMedia({ colorScheme: 'dark' })
  await inRussian(page)
  for (const [address, words] of [
    [productPage, 'Он отозван.'],
    [`/dashboard/maple/devices/${id}?tab=security`, 'Отозван'],
  ] as const) {
    await page.goto(address)
    await expect(page.getByText(words).first()).toBeVisible()
    await sound()
  }
})
