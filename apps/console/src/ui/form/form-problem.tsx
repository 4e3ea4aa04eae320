import { useLingui } from '@lingui/react'
import { TriangleAlert } from 'lucide-react'
import { moreOf } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'

/** Why a form was refused. Always rendered, so that a screen reader announces it when it is filled. */
export function FormProblem({ problem }: { problem: unknown }) {
  const { i18n } = useLingui()
  return (
    <div role="alert">
      {problem !== undefined && problem !== null && (
        // Takes the focus if no field is wrong: otherwise a button pressed far from it would seem
        // dead.
        <p className="form-problem" tabIndex={-1} data-problem>
          <TriangleAlert size={16} aria-hidden />
          {problemText(problem, i18n)}
        </p>
      )}
      {moreOf(problem)}
    </div>
  )
}
