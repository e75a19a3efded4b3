import { apiProject } from './api-project.config.ts'

export default apiProject('api')
