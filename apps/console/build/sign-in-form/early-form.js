// Runs right after the form that stands in the page of `/login`, long before the console's scripts.
// src/features/sign-in/early-form.ts takes over what was typed here. Storage may be denied.
{
  const place = document.getElementById('early-form')
  const form = place.querySelector('form')
  const { email, password } = form.elements
  const button = form.querySelector('button')
  const read = (of) => {
    try {
      return of()
    } catch {
      return undefined
    }
  }
  // As packages/auth-client/src/session/session-store.ts names them.
  const hasSession = read(() => Object.keys(localStorage).some((key) => key.includes('/user/')))
  if (hasSession || new URLSearchParams(location.search).has('notice')) place.remove()
  else {
    if (document.documentElement.lang === 'ru-RU')
      for (const element of place.querySelectorAll('[data-ru]'))
        element.textContent = element.dataset.ru
    for (const link of place.querySelectorAll('.form-links a')) link.search = location.search
    // As src/session/typed-email.ts.
    const kept = read(() => sessionStorage.getItem('grove.email'))
    if (kept && !email.value) {
      email.value = kept
      password.focus()
    }
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      form.dataset.sent = ''
      button.setAttribute('aria-disabled', 'true')
    })
  }
}
