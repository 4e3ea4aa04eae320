import type { FindingCode } from '@grove/contract/maple/card/applet-operation.rules'
import { mismatchOf } from '@grove/contract/maple/card/key.rules'
import { wordsOfMismatch } from '../key/mismatch-words.ts'

type Params = Record<string, string>

const texts: Record<FindingCode, (params: Params) => string> = {
  not_released: () => 'The applet is not released; only software cards take it before.',
  revoked: () => 'The applet is revoked.',
  element_terminated: () => 'The card is terminated and takes no commands.',
  element_locked: () => 'The card is locked. Unlock it first.',
  element_blocked: () =>
    'The keys did not match the card, so the element is blocked until somebody clears it.',
  no_keys: () => 'No keys of the element are known, so no secure channel can be opened.',
  no_route: () => 'No reader has the element now, and it is no software card.',
  session_busy: () => 'Another session has the element now.',
  import_missing: ({ aid, wanted }) => `The card lacks the imported package ${aid} ${wanted}.`,
  import_old: ({ aid, wanted, found }) =>
    `The card has version ${found} of the package ${aid}; ${wanted} or a later one of its kind is imported.`,
  imports_unknown: () =>
    'The card does not list the packages that it was made with, so the imports could not be compared.',
  never_read: () => 'The card was never read, so what is on it is not known.',
  memory_short: ({ needed, free }) => `The package needs ${needed} bytes; ${free} are free.`,
  memory_unknown: () => 'How much memory will be free is not known.',
  aid_taken: ({ aid }) => `The AID ${aid} is taken by something else.`,
  same_version: ({ version }) =>
    `The card has version ${version} of the package already; what it lacks of the applets is installed.`,
  other_version: ({ found, version }) =>
    `The card has version ${found} of the package. An upgrade replaces it by ${version}.`,
  not_installed: () => 'The applet is not on the card.',
  in_use: ({ aid }) => `Something else on the card needs ${aid}.`,
  data_lost: ({ aid }) => `The instance ${aid} is deleted with all its data.`,
  is_domain: ({ aid }) =>
    `The instance ${aid} is a security domain, and its keys would be deleted too. Delete it on the page of the element first.`,
  card_refused: ({ step, status, name }) => `The card refused to ${step}: ${status} ${name}.`,
  left_loaded: () => 'The package stays loaded without its applets; uninstalling removes it.',
  no_answer: ({ step }) =>
    `The card gave no certain answer to ${step}. It was read again and the operation continued from there.`,
  wrong_keys: (params) => {
    const mismatch = mismatchOf(params)
    const words = mismatch ? ` ${wordsOfMismatch(mismatch)}` : ''
    return `The keys did not match the card.${words} It is blocked, and nothing tries again.`
  },
  unexpected: ({ reason }) => `The operation failed: ${reason}`,
}

/** A finding in English; the values in it are its parameters. */
export const textOf = (code: FindingCode, params: Params): string => texts[code](params)
