// What compilers like to fuse: products that are added, alone, in pairs and in loops.

struct Point {
    float x;
    float y;
};

struct WidePoint {
    double x;
    double y;
};

void turn(Point& p, float c, float s);
void turn(WidePoint& p, double c, double s);
void turn_all(Point* points, int count, float c, float s);
void turn_all(WidePoint* points, int count, double c, double s);
void add_scaled(double* sum, const double* values, double factor, int count);
float product(const float* left, const float* right, int count);

void turn(Point& p, float c, float s) {
    const Point before = p;
    p.x = c * before.x - s * before.y;
    p.y = s * before.x + c * before.y;
}

void turn(WidePoint& p, double c, double s) {
    const WidePoint before = p;
    p.x = c * before.x - s * before.y;
    p.y = s * before.x + c * before.y;
}

void turn_all(Point* points, int count, float c, float s) {
    for (int i = 0; i < count; ++i) {
        turn(points[i], c, s);
    }
}

void turn_all(WidePoint* points, int count, double c, double s) {
    for (int i = 0; i < count; ++i) {
        turn(points[i], c, s);
    }
}

void add_scaled(double* sum, const double* values, double factor, int count) {
    for (int i = 0; i < count; ++i) {
        sum[i] += factor * values[i];
    }
}

float product(const float* left, const float* right, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += left[i] * right[i];
    }
    return sum;
}
