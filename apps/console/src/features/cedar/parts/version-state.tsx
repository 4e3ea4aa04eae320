import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'

type State = ProductVersion['state']

const states: Record<State, { kind: StateKind; text: MessageDescriptor }> = {
  no_package: { kind: 'idle', text: msg`No package` },
  checking: { kind: 'waiting', text: msg`Checking` },
  failed_checks: { kind: 'bad', text: msg`Checks failed` },
  ready: { kind: 'ready', text: msg`Ready` },
  live: { kind: 'good', text: msg`Live` },
  previous: { kind: 'idle', text: msg({ message: 'Previous', context: 'version' }) },
}

export function VersionState({ state }: { state: State }) {
  const { i18n } = useLingui()
  const { kind, text } = states[state]
  return <StateBadge kind={kind} text={i18n._(text)} />
}
