import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

type Causes = Partial<Record<string, MessageDescriptor>>

/** For any command; counters in the last digits of a word are left out. */
const ofAnyCommand: Causes = {
  '6283': msg`The card or the application is locked. Unlock it first.`,
  '6581': msg`The card could not write to its memory. It may be worn out, or have lost power.`,
  '6700': msg`The command is longer or shorter than the card expects.`,
  '6881': msg`This logical channel is not open, or the card has none. Open one with MANAGE CHANNEL, or send the command on the basic one.`,
  '6882': msg`The selected application does not accept protected commands. Select the security domain of the channel.`,
  '6982': msg`The card requires a secure channel for this, or one with a higher level. Open it first.`,
  '6983': msg`Too many wrong attempts: the card accepts no more.`,
  '6985': msg`The card is not in the state that this command requires.`,
  '6988': msg`The protection of the command is wrong, so the card closed the channel. Open a new one.`,
  '6A81': msg`The card does not support this function.`,
  '6A84': msg`The card is out of memory. Delete what is no longer needed.`,
  '6A86': msg`The card does not support these parameters P1 and P2.`,
  '6C': msg`The card requires another expected length. Send the command again with the length it returned.`,
  '6D00': msg`The selected application does not support this instruction. Is the right one selected?`,
  '6E00': msg`The selected application does not support this class. Is the right one selected?`,
  '6F00': msg`An unhandled error in the card or the applet.`,
}

const taken = msg`An object with this AID already exists. Delete it, or choose another AID.`

/** By command name, for INSTALL with its purpose. */
const ofCommand: Partial<Record<string, Causes>> = {
  SELECT: {
    '6A82': msg`No application on the card has this AID, or it cannot be selected yet.`,
    '6999': msg`The applet refused to be selected.`,
  },
  'GET DATA': {
    '6A88': msg`The selected application does not have this object.`,
  },
  'GET STATUS': {
    '6A88': msg`The card has nothing of this kind.`,
    '6985': msg`There is no list to continue: start from the beginning.`,
  },
  'INITIALIZE UPDATE': {
    '6A88': msg`The security domain has no keys of this version.`,
    '6982': msg`The card has locked itself after failed attempts to authenticate.`,
  },
  'EXTERNAL AUTHENTICATE': {
    '6300': msg`The keys are not those of the card. Do not try again with the same keys: cards lock themselves after a few attempts.`,
    '6982': msg`The keys are not those of the card, or it has locked itself after failed attempts.`,
    '6985': msg`INITIALIZE UPDATE must come immediately before.`,
  },
  'INSTALL [load]': {
    '6A80': taken,
    '6A88': msg`The security domain that should receive the load file is not on the card.`,
    '6985': taken,
  },
  LOAD: {
    '6438': msg`The code imports a package that the card does not have, or has in an older version.`,
    '6A80': msg`The card rejects the code: an imported package is missing, the code was made for a newer Java Card, or a block is damaged.`,
    '6A86': msg`The blocks are out of order.`,
    '6985': msg`INSTALL [for load] must come immediately before, and the blocks in order.`,
  },
  'INSTALL [install]': {
    '6A80': msg`The applet rejects its parameters, or its AID is in use. C9 must be among the parameters.`,
    '6A88': msg`The load file or the module is not on the card. Load the package first.`,
    '6985': msg`The AID is in use, or the applet failed during installation.`,
  },
  DELETE: {
    '6A88': msg`Nothing on the card has this AID.`,
    '6985': msg`Something still uses it: delete it with everything that was created from it.`,
  },
  'PUT KEY': {
    '6A80': msg`The key check value does not match, or the card does not accept keys of this type.`,
    '6A88': msg`The key version to replace does not exist.`,
  },
  'SET STATUS': {
    '6A80': msg`The card cannot change from its current state to this one.`,
    '6985': msg`The card cannot change from its current state to this one.`,
    '6A88': msg`Nothing on the card has this AID.`,
  },
  'STORE DATA': {
    '6A80': msg`The application does not accept this data.`,
    '6A88': msg`The application does not have one of the objects.`,
    '6985': msg`The application is not being personalized: INSTALL [for personalization] must come first.`,
  },
  VERIFY: {
    '63C': msg`The PIN is wrong.`,
  },
}

/**
 * Why a card most likely responded like this, and what to do next. `command` is the name of the
 * instruction, for INSTALL with its purpose in brackets.
 */
export function likelyCause(
  command: string | undefined,
  word: string,
): MessageDescriptor | undefined {
  // Words with a counter: 63Cx and 6Cxx.
  const codes = [word, word.slice(0, 3), word.slice(0, 2)]
  const [name = ''] = [command?.replace(', make selectable]', ']')]
  for (const causes of [ofCommand[name], ofAnyCommand])
    for (const code of codes) if (causes?.[code]) return causes[code]
  return undefined
}
