import { msg } from '@lingui/core/macro'
import { addProblemTexts } from '../../../api/problem-text.ts'

// Only forms that name a person can get it.
addProblemTexts({
  unknown_user: msg`No account has this ID or confirmed email. Check it, or ask the person to sign in once.`,
})
