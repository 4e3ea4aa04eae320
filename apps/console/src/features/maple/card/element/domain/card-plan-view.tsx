import type { CardStep } from '@grove/contract/maple/card/card-operation'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { StepList } from '../card/step-list.tsx'

interface CardPlanViewProps {
  readAt: string
  steps: readonly CardStep[]
  /** What is deleted together with a domain. */
  contents: readonly string[]
  isAgreed: boolean
  onAgree: (isAgreed: boolean) => void
}

/** A preview of the commands that a plan sends to the card. */
export function CardPlanView({ readAt, steps, contents, isAgreed, onAgree }: CardPlanViewProps) {
  const { t } = useLingui()
  return (
    <>
      <h3>
        <Plural value={steps.length} one="# command to the card" other="# commands to the card" />
      </h3>
      <p className="muted">
        <Trans>
          Planned from the reading of <DateText value={readAt} />. If the card has changed since,
          nothing is sent. It stops at the first refusal.
        </Trans>
      </p>
      <StepList label={t`Commands to the card`} steps={steps} />
      {contents.length > 0 && (
        <label className="choice">
          <input
            type="checkbox"
            checked={isAgreed}
            onChange={({ target }) => onAgree(target.checked)}
          />{' '}
          <Plural
            value={contents.length}
            one="Also delete # applet or package that is in these domains"
            other="Also delete # applets and packages that are in these domains"
          />
        </label>
      )}
    </>
  )
}
