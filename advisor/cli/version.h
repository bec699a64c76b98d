/* The program's version: set by CMake from project(). */
#ifndef ADVISOR_VERSION_H
#define ADVISOR_VERSION_H

#ifndef INFLIGHT_VERSION
#define INFLIGHT_VERSION "unknown"
#endif

#endif
