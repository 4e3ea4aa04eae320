import type { CommandReason } from '@grove/secure-element/command-class'
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'

const words: Record<CommandReason, MessageDescriptor> = {
  putKey: msg`A session cannot send keys: a rotation stores the new ones first, so that none is lost.`,
  deleteKey: msg`A session cannot delete keys: a card without them is lost. A rotation replaces them.`,
  deleteDomain: msg`Deleting a security domain deletes its keys too. Domains are deleted on the page of the element.`,
  storeKeys: msg`The data contains keys, or may contain them. Keys are changed by rotation.`,
  authenticate: msg`A wrong cryptogram counts as a failed attempt. Open the secure channel of the session instead.`,
  cardState: msg`The state of a card changes on the page of its element.`,
  privileges: msg`Privileges over the whole card are granted on the page of its element.`,
  terminate: msg`A card is terminated on the page of its element, where a second person approves it.`,
  unreadable: msg`Grove cannot tell what these bytes do, so it does not send them. Enter the whole command unprotected: the secure channel protects it.`,
  unknown: msg`Grove does not know this instruction. Select an application first.`,
}

/** The alternative on the element's page. */
const onPage = new Set<CommandReason>([
  'putKey',
  'deleteKey',
  'deleteDomain',
  'storeKeys',
  'cardState',
  'privileges',
  'terminate',
])

/** Why a session does not send a command, and where to do it instead. */
export function ReservedCommand({ reason, cplc }: { reason: CommandReason; cplc: string }) {
  const { i18n } = useLingui()
  return (
    <output className="field-hint">
      {i18n._(words[reason])}{' '}
      {onPage.has(reason) && (
        <Link to="/dashboard/maple/secure_elements/$cplc" params={{ cplc }} preload={false}>
          <Trans>Open the page of the element</Trans>
        </Link>
      )}
    </output>
  )
}
