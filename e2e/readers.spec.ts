import { randomUUID } from 'node:crypto'
import { readHex } from '../packages/secure-element/src/bytes.ts'
import { softwareCard } from '../packages/secure-element/src/card/software-card.ts'
import type { Pcsc } from '../packages/secure-element/src/pcsc/pcsc.ts'
import { offerReader, ReaderRefused } from '../packages/reader/src/bridge.ts'
import { claimKey } from '../packages/reader/src/pairing.ts'
import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

/** A machine with a reader, and a card in it that identifies as JCOPv241. */
function machine(): Pcsc {
  const card = softwareCard({ seed: randomUUID() })
  const atr = readHex('3BF81300008131FE454A434F5076323431B7')
  return {
    readers: async () => [{ name: 'Desk reader 00', events: 1, atr }],
    connect: async () => ({
      transmit: (command) => card.transmit(command),
      disconnect: async () => {
        card.reset()
      },
    }),
    close() {},
  }
}

test('an admin connects a card reader, registers the card in it and runs a session with it @long', async ({
  page,
  context,
  baseURL,
}) => {
  const platform = baseURL ?? ''
  const name = `Desk ${randomUUID().slice(0, 8)}`
  await page.goto('/dashboard/maple/readers?create=true')
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create a pairing code' }).click()
  const panel = page.locator('[data-panel]')
  const command = panel.getByText(
    /^npx --yes http\S+\/downloads\/grove-reader.tgz --platform http\S+ --code \S+$/,
  )
  await expect(command).toBeVisible()
  await expectAccessible(page)
  const address = page.url()

  const code = (await command.textContent())?.split(' ').at(-1) ?? ''
  const stop = new AbortController()
  const ended = offerReader({
    platform,
    key: await claimKey(platform, code),
    reader: undefined,
    pcsc: machine(),
    say: () => {},
    signal: stop.signal,
  })
  // The page shows the reader and its card without a reload.
  await expect(panel).toContainText('Desk reader 00')
  await expect(panel).toContainText('It identifies itself as “JCOPv241”.')
  await expect(panel).toContainText('Not registered in this stage')
  await expect(page.getByRole('row', { name })).toContainText('not registered')
  await context.setOffline(true)
  const lost = page.getByText('Connection lost, retrying.')
  await expect(lost).toBeVisible()
  await context.setOffline(false)
  await expect(lost).toHaveCount(0)
  await panel.getByRole('button', { name: 'Register the element…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Register' }).click()

  await panel.getByRole('link', { name: 'Open a session' }).click()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const log = page.getByRole('listbox', { name: 'Exchanges' })
  await expect(log.getByRole('option', { name: 'SELECT' })).toContainText('9000')

  await page.goto(address)
  await page.setViewportSize(phone)
  await expect(panel).toContainText('Connected')
  await expectNoOverflow(page)
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Disconnect…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click()
  await expect(panel).toBeHidden()
  await expect(ended).rejects.toThrow(ReaderRefused)
  stop.abort()
})
