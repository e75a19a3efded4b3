// Runs before the page is drawn, so that it never shows in the other colours first. `page.js` has the button.
const theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
