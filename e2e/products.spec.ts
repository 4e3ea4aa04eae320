import { randomUUID } from 'node:crypto'
import {
  signedImage,
  signingKey,
} from '../apps/platform/src/services/maple/connect/binary-image/testing/signed-image.ts'
import { runAgent } from '../packages/device-agent/src/agent.ts'
import { claim, newIdentity } from '../packages/device-agent/src/identity.ts'
import { openOutbox } from '../packages/device-agent/src/outbox.ts'
import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('an admin defines a product, lets a device in by a claim code, and releases its firmware', async ({
  page,
  baseURL,
}) => {
  const platform = baseURL ?? ''
  const name = `Gate ${randomUUID().slice(0, 8)}`
  const confirm = (action: string) =>
    page.getByRole('alertdialog').getByRole('button', { name: action, exact: true }).click()
  const panel = page.locator('[data-panel]')

  await page.goto('/dashboard/maple/products')
  await page.getByRole('button', { name: 'New product' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'Model (optional)' }).fill('G-2')
  await page.getByRole('textbox', { name: 'Hardware revisions (optional)' }).fill('A, B')
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name)

  const codes = page.getByRole('region', { name: 'Claim codes' })
  await codes.getByRole('button', { name: 'New claim code…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Batch 7')
  await dialog.getByRole('textbox', { name: 'Devices' }).fill('3')
  await dialog
    .getByRole('combobox', { name: 'Devices that connect with it' })
    .selectOption('accepted')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  const command = codes.getByText(
    /^npx --yes http\S+\/downloads\/grove-device.tgz fleet --platform http\S+ --count 3 --prefix batch-7-[0-9a-f]{4} --code \S+$/,
  )
  await expect(command).toBeVisible()
  await expect(codes.getByRole('img', { name: 'QR code of the claim code' })).toBeVisible()
  await expectAccessible(page)

  const code = (await command.textContent())?.split(' ').at(-1) ?? ''
  const identity = newIdentity(`gate-${randomUUID().slice(0, 8)}`)
  await claim(platform, identity, { code })
  const stop = new AbortController()
  const agent = runAgent({
    platform,
    secret: identity.secret,
    outbox: openOutbox('1'),
    elements: () => [],
    firmware: '1.0.0',
    say: () => {},
    signal: stop.signal,
  })
  // The page shows the device without a reload.
  await expect(codes.getByRole('list', { name: 'Claim codes' })).toContainText('1 of 3 used')
  const states = page.getByRole('list', { name: 'Devices by state' })
  await expect(states).toContainText('Online')
  await expect(page.getByRole('list', { name: 'Newest devices' })).toContainText(identity.id)
  await states.getByRole('link').first().click()
  await expect(page.getByRole('row', { name: identity.id })).toBeVisible()
  stop.abort()
  await agent.ended
  await page.goto(`/dashboard/maple/devices/${identity.id}`)
  await expect(page.getByRole('link', { name })).toBeVisible()

  // Its firmware: trusted once the key that signed it is known.
  const key = signingKey('ecdsa-p256')
  const image = signedImage(
    { version: [2, 0, 1], program: Buffer.from(`program of ${name}`), loadAddress: 0x8000 },
    key,
  )
  await page.goto('/dashboard/maple/binary_images')
  await page.getByRole('button', { name: 'Signing keys' }).click()
  await dialog.getByRole('button', { name: 'Add a key' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill(`Key of ${name}`)
  await dialog.getByRole('textbox', { name: 'Public key in PEM' }).fill(key.pem)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog).toContainText(`Key of ${name}`)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'New image' }).first().click()
  const file = { name: 'broken.bin', mimeType: 'application/octet-stream', buffer: image }
  const chooser = page.getByTestId('chosen-file')
  await chooser.setInputFiles({ ...file, buffer: image.subarray(0, -1) })
  await expect(panel.getByRole('alert')).toContainText(`Byte ${image.length - 1}.`)
  await chooser.setInputFiles({ ...file, name: `${name}.signed.bin` })
  await expect(panel).toContainText('0x00008000')
  await expect(panel.getByRole('radio', { name: 'Signature, ECDSA' })).toBeAttached()
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(panel.getByRole('heading', { name: `${name} 2.0.1` })).toBeVisible()
  await panel.getByRole('button', { name: 'Verify' }).click()
  await expect(panel).toContainText(`Key of ${name} (ECDSA P-256)`)
  await panel.getByRole('button', { name: 'Release…' }).click()
  await confirm('Release')
  await expect(panel).toContainText('Released')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await expectAccessible(page)
})
