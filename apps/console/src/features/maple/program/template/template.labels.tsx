import type { TemplateState } from '@grove/contract/maple/program/template.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const stateKinds: Record<TemplateState, StateKind> = {
  draft: 'idle',
  published: 'good',
  deprecated: 'ended',
}

export function useTemplateStateWords(): Record<TemplateState, string> {
  const { t } = useLingui()
  return {
    draft: t({ message: 'Draft', context: 'a template' }),
    published: t({ message: 'Published', context: 'a template' }),
    deprecated: t({ message: 'Deprecated', context: 'a template' }),
  }
}

export function TemplateStateBadge({ state }: { state: TemplateState }) {
  const words = useTemplateStateWords()
  return <StateBadge kind={stateKinds[state]} text={words[state]} />
}
