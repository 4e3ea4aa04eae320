import type { HandlerRun, OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { maxHandlerCodeLength } from '@grove/contract/maple/program/handler.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Form } from '../../../../ui/form/use-form.ts'
import { DraftEditor } from '../code/draft-editor.tsx'
import { useCodeProblem } from '../code/use-code-problem.ts'
import type { HandlerValues } from './handler-values.ts'
import { useHandlerNames } from './handler-names.ts'

interface CodeFieldProps {
  form: Form<HandlerValues>
  handler: OpenCloudHandler
  lastTest: HandlerRun | undefined
}

/**
 * The code of a draft, with syntax errors marked while typing, and the place where its last test
 * threw.
 */
export function CodeField({ form, handler, lastTest }: CodeFieldProps) {
  const { t } = useLingui()
  const { code } = form.values
  const isTested =
    lastTest !== undefined && code === handler.code && lastTest.createdAt > handler.updatedAt
  const { problems, words } = useCodeProblem(code, isTested ? lastTest.error : null)
  const excess = code.length - maxHandlerCodeLength
  const wrong = form.errors['code'] ?? (excess > 0 ? t`The code is too long.` : words)
  return (
    <div className="field">
      <strong>{t`Code`}</strong>
      <DraftEditor
        text={code}
        label={t`Code`}
        names={useHandlerNames()}
        problems={problems}
        onChange={(next) => form.set({ code: next })}
        onSave={() => form.props.ref.current?.requestSubmit()}
        wrong={wrong}
      />
      <div className="field-hint">
        <Trans>
          JavaScript with <code>event</code>, <code>fetch(url, options)</code>,{' '}
          <code>secret(name)</code> for headers, and <code>log(…)</code>. If it throws, the delivery
          is retried later.
        </Trans>
      </div>
    </div>
  )
}
