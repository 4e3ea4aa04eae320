import type { ProgramKind } from '@grove/contract/maple/rollout/rollout.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Waves } from 'lucide-react'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'

interface RollOutProps {
  kind: ProgramKind
  id: string
  /** The product of an image that is for one product. */
  product?: string | null
  /** Why it cannot be rolled out. */
  refusal: string | undefined
}

/** Opens the form for a new rollout, filled in. */
export function RollOut({ kind, id, product, refusal }: RollOutProps) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const search = { create: true, brings: kind, program: id, product: product ?? undefined } as const
  return (
    <PanelAction
      icon={Waves}
      label={t`Roll out…`}
      refusal={refusal}
      onAct={() => void navigate({ to: '/dashboard/maple/rollouts', search })}
    />
  )
}
