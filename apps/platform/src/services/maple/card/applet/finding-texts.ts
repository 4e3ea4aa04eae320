import type { FindingCode } from '@grove/contract/maple/card/applet-operation.rules'
import { mismatchOf } from '@grove/contract/maple/card/key.rules'
import { wordsOfMismatch } from '../key/mismatch-words.ts'

type Params = Record<string, string>

const texts: Record<FindingCode, (params: Params) => string> = {
  not_released: () => 'The applet is not released; until then only software cards accept it.',
  revoked: () => 'The applet is revoked.',
  element_terminated: () => 'The card is terminated and accepts no commands.',
  element_locked: () => 'The card is locked. Unlock it first.',
  element_blocked: () =>
    'The keys did not match the card, so the element is blocked until somebody clears it.',
  no_keys: () => 'The element’s keys are unknown, so no secure channel can be opened.',
  no_route: () => 'No reader currently has the element, and it is not a software card.',
  session_busy: () => 'Another session is using the element.',
  import_missing: ({ aid, wanted }) => `The card lacks the imported package ${aid} ${wanted}.`,
  import_old: ({ aid, wanted, found }) =>
    `The card has version ${found} of the package ${aid}; ${wanted} or a later one of its kind is imported.`,
  imports_unknown: () =>
    'The card does not list its preloaded packages, so the imports could not be checked.',
  import_unlisted: ({ aid, wanted }) =>
    `The card does not list the imported package ${aid} ${wanted}; it is missing, unless it is in the card’s ROM.`,
  cause_imports: ({ packages }) =>
    `Likely cause: the card lacks an imported package, or has an older version of it: ${packages}.`,
  cause_rom: ({ aid }) =>
    `Likely cause: the AID ${aid} belongs to a package in the card’s ROM, which the card does not list.`,
  cause_memory: ({ needed }) =>
    `Likely cause: too little memory. The package alone needs ${needed} bytes.`,
  cause_integers: () => 'Possible cause: the package uses int, which not all cards support.',
  cause_format: ({ format }) =>
    `Possible cause: CAP files of format ${format} need Java Card 3.1 or later.`,
  cause_install: () =>
    'Likely cause: install() of the applet failed, often for its parameters, its privileges, its AID or too little memory.',
  cap_unlinkable: ({ reason }) => `A card cannot link this package: ${reason}`,
  cap_errors: ({ count }) =>
    `Verification found errors in the package (${count}). Cards hardly verify code, so it may be installed and then fail.`,
  never_read: () => 'The card was never read, so its contents are unknown.',
  memory_short: ({ needed, free }) => `The package needs ${needed} bytes; ${free} are free.`,
  memory_unknown: () => 'The remaining memory is unknown.',
  aid_taken: ({ aid }) => `The AID ${aid} is already in use on the card.`,
  same_version: ({ version }) =>
    `The card already has version ${version} of the package; its missing applets are installed.`,
  other_version: ({ found, version }) =>
    `The card has version ${found} of the package. An upgrade replaces it with ${version}.`,
  not_installed: () => 'The applet is not on the card.',
  in_use: ({ aid }) => `Something else on the card depends on ${aid}.`,
  data_lost: ({ aid }) => `The instance ${aid} is deleted with all its data.`,
  is_domain: ({ aid }) =>
    `The instance ${aid} is a security domain, and its keys would be deleted too. Delete it on the page of the element first.`,
  card_refused: ({ step, status, name }) => `The card refused to ${step}: ${status} ${name}.`,
  left_loaded: () => 'The package stays loaded without its applets; uninstalling removes it.',
  no_answer: ({ step }) =>
    `The card gave no definite answer to ${step}. It was read again and the operation continued from there.`,
  wrong_keys: (params) => {
    const mismatch = mismatchOf(params)
    const words = mismatch ? ` ${wordsOfMismatch(mismatch)}` : ''
    return `The keys did not match the card.${words} It is blocked, and there will be no further attempts.`
  },
  token_missing: ({ aid }) =>
    `The domain ${aid} needs a token for each command, and there is none for these.`,
  domain_missing: ({ aid }) => `The card has no security domain ${aid}.`,
  domain_unable: ({ aid }) => `The domain ${aid} cannot manage the contents of the card.`,
  receipt_valid: ({ aid, counter }) => `The card’s receipt ${counter} for ${aid} is valid.`,
  receipt_wrong: ({ aid }) =>
    `The card’s receipt for ${aid} does not fit its key for receipts: the card did something else, or has another key.`,
  receipt_unchecked: ({ aid }) =>
    `The card made a receipt for ${aid}, which no key that Grove has can verify.`,
  unexpected: ({ reason }) => `The operation failed: ${reason}`,
}

/** A finding in English; the values in it are its parameters. */
export const textOf = (code: FindingCode, params: Params): string => texts[code](params)
